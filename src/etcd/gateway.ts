import { UnreachableError } from "../kit/text/errors.js";
import {
  malformedError,
  parseLease,
  parseTransaction,
  parseWatch,
  RefusedError,
  type StoredKey,
} from "./answers.js";
import { NotSentError, type PostLimits } from "./json-client.js";
import { newId } from "./log.js";
import { MemberClient, NotYetError, type TryOptions } from "./member-client.js";

/** The keys from `key` up to, but not including, `end`. Without `end`, one key. */
export interface KeyRange {
  readonly key: string;
  readonly end?: string;
}

interface RangeRequest extends KeyRange {
  limit?: number;
  keysOnly?: boolean;
}

type StoredKeys = readonly (StoredKey | undefined)[];

export interface Put {
  readonly key: string;
  readonly value: Buffer;
  readonly lease?: string;
}

/**
 * The value or the revision that a key must have. Without either, the key must
 * not exist.
 */
export interface Condition {
  readonly key: string;
  readonly value?: Buffer | undefined;
  readonly modRevision?: number;
  /**
   * Why the condition may fail for a while. A transaction is sent again while
   * every failing condition has an obstacle: the others can't hold again.
   */
  readonly obstacle?: string;
}

/** Changes that are made together, if all conditions hold. */
export interface Transaction {
  readonly conditions: readonly Condition[];
  readonly puts?: readonly Put[];
  readonly deletes?: readonly KeyRange[];
  /**
   * Called with the keys of the conditions if the transaction is refused, its
   * puts are not stored, and an earlier attempt got no answer. Throws if that
   * attempt may have succeeded.
   */
  onRefusedRetry?(present: StoredKeys): void;
}

/** A key on a lease, which etcd removes after its owner is killed. */
export interface Claim {
  /** Holds while the owner still has the key. */
  readonly condition: Required<Pick<Condition, "key" | "modRevision">>;
  /** Gives the key up, unless it was replaced. */
  end(): Promise<void>;
}

/**
 * Thrown if a transaction gets no answer: it may have been made, or may still
 * be.
 */
export class UncertainError extends UnreachableError {}

/**
 * The HTTP/JSON gateway of an etcd cluster
 * (https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/). Keys in arguments
 * and results have no prefix. All methods throw UnreachableError,
 * UnauthorizedError and ServerError.
 */
export class Gateway extends MemberClient {
  async range(request: RangeRequest, options?: TryOptions): Promise<StoredKey[]> {
    const { ranges } = await this.ranges([request], options);
    return ranges.flat();
  }

  /**
   * Reads ranges of keys at one revision: the newest that a majority of the
   * members has.
   */
  ranges(requests: readonly RangeRequest[], options: TryOptions = {}) {
    const success = requests.map(({ limit, keysOnly, ...range }) => ({
      request_range: { ...this.#encodeRange(range), limit, keys_only: keysOnly },
    }));
    return this.tryMembers(options, (endpoint, timeout) =>
      this.#transact(endpoint, { success }, { timeout, signal: options.signal }),
    );
  }

  /**
   * Sends a transaction until there is an answer. It may be delivered several
   * times: either at most one delivery can succeed, or all have the same effect
   * (docs/design/etcd-store.md).
   *
   * @returns the revision that it made; `undefined` if its conditions do not
   *   hold
   * @throws UncertainError if it may have been made; after any other error, it
   *   was not
   */
  async commit(transaction: Transaction, within = this.times.write): Promise<number | undefined> {
    const body = this.#encode(transaction);
    let isUncertain = false;
    const attempt = async (endpoint: string, timeout: number) => {
      try {
        const { succeeded, revision, ranges } = await this.#transact(endpoint, body, { timeout });
        if (succeeded) return revision;
        const present = ranges.map(([stored]) => stored);
        const made = earlierRevision(transaction, present);
        if (made === undefined && isUncertain) transaction.onRefusedRetry?.(present);
        return made;
      } catch (error) {
        isUncertain ||= !(error instanceof RefusedError || error instanceof NotSentError);
        throw error;
      }
    };
    try {
      return await this.tryMembers({ within }, attempt);
    } catch (error) {
      throw isUncertain ? new UncertainError((error as Error).message, { cause: error }) : error;
    }
  }

  /**
   * Puts a key on a lease. Resolves to `undefined` if the key exists.
   *
   * @param deletes the keys to delete when the claim ends
   */
  async claim(
    key: string,
    milliseconds: number,
    deletes: readonly KeyRange[] = [{ key }],
  ): Promise<Claim | undefined> {
    if ((await this.range({ key })).length > 0) return undefined;
    const lease = await this.grantLease(milliseconds);
    const puts = [{ key, value: Buffer.from(newId()), lease }];
    const modRevision = await this.commit({ conditions: [{ key }], puts });
    if (modRevision === undefined) return undefined;
    const condition = { key, modRevision };
    // If the lease is lost, the next transaction fails.
    const renew = () => this.keepLease(lease).catch(() => {});
    const timer = setInterval(renew, milliseconds / 4);
    const end = async () => {
      clearInterval(timer);
      await this.commit({ conditions: [condition], deletes }, this.times.attempt).catch(() => {});
    };
    return { condition, end };
  }

  /** Resolves to the id of the lease. */
  grantLease(milliseconds: number): Promise<string> {
    const body = { TTL: Math.ceil(milliseconds / 1_000) };
    return this.tryMembers({ within: this.times.write }, (endpoint, timeout) =>
      this.post(endpoint, "lease/grant", parseLease, body, { timeout }),
    );
  }

  keepLease(id: string): Promise<void> {
    return this.tryMembers({ within: this.times.attempt }, (endpoint, timeout) =>
      this.post(endpoint, "lease/keepalive", () => {}, { ID: id }, { timeout }),
    );
  }

  /**
   * Yields once the watch has begun, and after each change of a key. Ends only
   * by an error.
   */
  watch(key: string, signal: AbortSignal): AsyncGenerator<void> {
    const body = { create_request: this.#encodeRange({ key }) };
    return this.listen("watch", body, parseWatch, signal);
  }

  async #transact(
    endpoint: string,
    body: { success: object[]; failure?: object[] },
    limits: PostLimits,
  ) {
    const parse = (text: string) => parseTransaction(text, this.prefix);
    const answer = await this.post(endpoint, "kv/txn", parse, body, limits);
    const asked = answer.succeeded ? body.success : body.failure;
    if (answer.ranges.length !== asked?.length) throw malformedError();
    return answer;
  }

  #encode({ conditions, puts = [], deletes = [] }: Transaction) {
    return {
      compare: conditions.map(({ key, value, modRevision = 0 }) => ({
        ...this.#encodeRange({ key }),
        result: "EQUAL",
        ...(value
          ? { target: "VALUE", value: value.toString("base64") }
          : { target: "MOD", mod_revision: modRevision }),
      })),
      success: [
        ...puts.map(({ key, value, lease }) => ({
          request_put: { ...this.#encodeRange({ key }), value: value.toString("base64"), lease },
        })),
        ...deletes.map((range) => ({ request_delete_range: this.#encodeRange(range) })),
      ],
      failure: conditions.map(({ key }) => ({ request_range: this.#encodeRange({ key }) })),
    };
  }

  #encodeRange({ key, end }: KeyRange): object {
    const base64 = (name: string) => Buffer.from(this.prefix + name).toString("base64");
    return { key: base64(key), range_end: end && base64(end) };
  }
}

/**
 * Returns the revision of an earlier delivery of a refused transaction, if one
 * has succeeded.
 *
 * @throws NotYetError while every failing condition has an obstacle
 */
function earlierRevision(
  { conditions, puts = [] }: Transaction,
  present: StoredKeys,
): number | undefined {
  const made = present.find((stored) =>
    puts.some(({ key, value }) => stored?.key === key && stored.value.equals(value)),
  );
  if (made) return made.modRevision;
  const failed = conditions.filter((condition, index) => !holds(condition, present[index]));
  if (failed.every(({ obstacle }) => obstacle)) throw new NotYetError(failed[0]?.obstacle);
  return undefined;
}

function holds({ value, modRevision = 0 }: Condition, stored: StoredKey | undefined): boolean {
  if (value) return stored?.value.equals(value) ?? false;
  return (stored?.modRevision ?? 0) === modRevision;
}
