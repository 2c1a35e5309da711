import { UnreachableError } from "../kit/text/errors.js";
import {
  malformed,
  parseLease,
  parseTransaction,
  parseWatch,
  type RangeAnswer,
  RefusedError,
  type StoredKey,
} from "./answers.js";
import { NotSentError, type PostLimits } from "./json-posts.js";
import { Members, NotYetError, type RepeatOptions } from "./members.js";

/** The keys from `key` to the one before `end`; without it, one key. */
export interface KeyRange {
  readonly key: string;
  readonly end?: string | undefined;
}

interface RangeRequest extends KeyRange {
  /** Entries in the answer. */
  readonly limit?: number;
  /** Whether to leave out the values. */
  readonly keysOnly?: boolean;
}

/**
 * Called when a transaction was refused after an attempt that got no answer, and what it puts is
 * not stored.
 *
 * @param present the keys of the conditions, in their order
 * @throws InvalidDataError if that attempt may have succeeded
 */
export type CheckTrace = (present: readonly (StoredKey | undefined)[]) => void;

export interface Put {
  readonly key: string;
  readonly value: Buffer;
  /** The lease that the key ends with. */
  readonly lease?: string;
}

/**
 * What must be true of a key: the revision of its last change (0: the key must not exist), or its
 * value. A transaction is retried while every condition that fails has an `obstacle`, which is
 * temporary. Any other condition that fails can never hold again.
 */
export type Condition = { readonly key: string; readonly obstacle?: string } & (
  | { readonly modRevision: number }
  | { readonly value: Buffer }
);

/** Changes that are made together, if all conditions hold. */
export interface Transaction {
  readonly compare: readonly Condition[];
  readonly puts?: readonly Put[];
  readonly deletes?: readonly KeyRange[];
}

/** Thrown when no answer came to a transaction: it may have been carried out, or may be later. */
export class UncertainError extends UnreachableError {}

/**
 * The HTTP/JSON gateway of an etcd cluster (https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/).
 */
export class Gateway extends Members {
  /** @throws as `ranges` */
  async range(request: RangeRequest, options?: RepeatOptions): Promise<RangeAnswer> {
    return (await this.ranges([request], options))[0] as RangeAnswer;
  }

  /**
   * Reads ranges of keys at one revision: the newest, as a majority of the members knows it.
   *
   * @throws UnreachableError, UnauthorizedError, ServerError
   */
  async ranges(
    requests: readonly RangeRequest[],
    options: RepeatOptions = {},
  ): Promise<RangeAnswer[]> {
    const success = requests.map(({ key, end, limit, keysOnly }) => ({
      request_range: { ...encodeRange({ key, end }), limit, keys_only: keysOnly },
    }));
    const attempt = (endpoint: string, timeout: number) =>
      this.#transact(endpoint, { success }, { timeout, signal: options.signal });
    return (await this.repeat(options, attempt)).ranges;
  }

  /**
   * Sends a transaction until there is an answer. Of several deliveries, at most one must be able
   * to succeed, or all must have the same effect (docs/design/etcd-store.md).
   *
   * @returns the revision at which it was carried out; undefined if its conditions do not hold
   * @throws UncertainError; UnreachableError when it was certainly not carried out;
   *   UnauthorizedError, ServerError
   */
  async commit(
    { compare, puts = [], deletes = [] }: Transaction,
    { checkTrace, within = this.times.write }: { checkTrace?: CheckTrace; within?: number } = {},
  ): Promise<number | undefined> {
    const body = {
      compare: compare.map(({ key, obstacle, ...expected }) => ({
        key: base64(key),
        result: "EQUAL",
        ...("value" in expected
          ? { target: "VALUE", value: base64(expected.value) }
          : { target: "MOD", mod_revision: expected.modRevision }),
      })),
      success: [
        ...puts.map(({ key, value, lease }) => ({
          request_put: { key: base64(key), value: base64(value), lease },
        })),
        ...deletes.map((range) => ({ request_delete_range: encodeRange(range) })),
      ],
      failure: compare.map(({ key }) => ({ request_range: encodeRange({ key }) })),
    };
    let isUncertain = false;
    const attempt = async (endpoint: string, timeout: number) => {
      try {
        const { succeeded, revision, ranges } = await this.#transact(endpoint, body, { timeout });
        if (succeeded) return revision;
        const present = ranges.map(({ entries }) => entries[0]);
        const made = present.find((now) =>
          puts.some(({ key, value }) => now?.key === key && now.value.equals(value)),
        );
        if (made) return made.modRevision;
        const obstacles = compare.flatMap((one, index) =>
          holds(one, present[index]) ? [] : [one.obstacle],
        );
        if (obstacles.every(Boolean)) throw new NotYetError(obstacles[0]);
        if (isUncertain) checkTrace?.(present);
        return undefined;
      } catch (error) {
        isUncertain ||= !(error instanceof RefusedError || error instanceof NotSentError);
        throw error;
      }
    };
    try {
      return await this.repeat({ within }, attempt);
    } catch (error) {
      throw isUncertain ? new UncertainError((error as Error).message, { cause: error }) : error;
    }
  }

  /** Returns the id of a new lease. @throws as `range` */
  grantLease(milliseconds: number): Promise<string> {
    const body = { TTL: Math.ceil(milliseconds / 1_000) };
    return this.request("lease/grant", parseLease, body, this.times.write);
  }

  /** @throws as `range` */
  keepLease(id: string): Promise<void> {
    return this.request("lease/keepalive", () => undefined, { ID: id }, this.times.attempt);
  }

  /**
   * Yields when it has begun, and for each change of a key from then on. It ends by an error only.
   *
   * @throws as `range`
   */
  watch(key: string, signal: AbortSignal): AsyncGenerator<void> {
    return this.listen("watch", { create_request: { key: base64(key) } }, parseWatch, signal);
  }

  async #transact(
    endpoint: string,
    body: { success: object[]; failure?: object[] },
    limits: PostLimits,
  ) {
    const answer = await this.post(endpoint, "kv/txn", parseTransaction, body, limits);
    const asked = answer.succeeded ? body.success : body.failure;
    if (answer.ranges.length !== asked?.length) throw malformed();
    return answer;
  }
}

function holds(condition: Condition, now: StoredKey | undefined): boolean {
  if ("value" in condition) return now?.value.equals(condition.value) ?? false;
  return (now?.modRevision ?? 0) === condition.modRevision;
}

function encodeRange({ key, end }: KeyRange): object {
  return { key: base64(key), ...(end !== undefined && { range_end: base64(end) }) };
}

function base64(content: string | Buffer): string {
  return Buffer.from(content).toString("base64");
}
