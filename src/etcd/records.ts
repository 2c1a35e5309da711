import { setImmediate } from "node:timers/promises";
import { InvalidDataError } from "../domain/errors.js";
import { DATA_VERSION, type Data } from "../store/data.js";
import type { KeyChange } from "./answers.js";
import { type Head, type Pending, parseHead } from "./head.js";
import { isSealed, type Sealing } from "./sealing.js";

const LISTS = ["environments", "variables", "values"] as const;
type List = (typeof LISTS)[number];

/** New texts of records by their keys after the prefix, such as `values/7`; undefined for those that are removed. */
export type RecordChanges = ReadonlyMap<string, string | undefined>;

// The keys of a store, after its prefix: `head`, `environments/ID`, `variables/ID`, `values/ID`, and for the parts of a
// write that is too large for one transaction `changes/WRITE/NUMBER`.
export const HEAD_KEY = "head";
export const CHANGES_PREFIX = "changes/";
const RECORD_KEY = /^(environments|variables|values)\/([1-9]\d{0,15})$/;
const PART_KEY = /^changes\/([A-Za-z0-9_-]+)\/(\d{1,9})$/;

/** Records that are put together at once, in about a millisecond. */
const CHUNK = 5_000;

export function partKey(id: string, number: number): string {
  return `${CHANGES_PREFIX}${id}/${number}`;
}

/** The records of a store as texts, at one revision. */
export class StoreRecords {
  readonly #prefix: string;
  readonly #sealing: Sealing;
  readonly #lists: Record<List, Map<number, string>> = {
    environments: new Map(),
    variables: new Map(),
    values: new Map(),
  };
  /** The highest id in each list, and the lists that are not sorted by id. */
  readonly #highest: Record<List, number> = { environments: 0, variables: 0, values: 0 };
  readonly #unsorted = new Set<List>();
  readonly #parts = new Map<string, Buffer>();
  /** At which revisions this process has written keys. A watch that lags may still deliver earlier changes of them. */
  readonly #own = new Map<string, number>();
  /** The changes of a pending write of this process: it has not read the parts. */
  #ownPending: { readonly id: string; readonly changes: RecordChanges } | undefined;
  readonly #stale = new Set<string>();
  readonly #plain = new Set<string>();
  /** Undefined for a store that holds nothing. */
  head: Head | undefined;
  /** The revision of the head; 0 without one. */
  headRevision = 0;

  constructor(prefix: string, sealing: Sealing) {
    this.#prefix = prefix;
    this.#sealing = sealing;
  }

  get isEmpty(): boolean {
    return this.head === undefined && LISTS.every((list) => this.#lists[list].size === 0);
  }

  /** Records that are not sealed as they would be now. */
  get stale(): RecordChanges {
    return new Map([...this.#stale].map((key) => [key, this.textOf(key)]));
  }

  /**
   * The key of a record that is not sealed, although others are. Nobody with a key writes one: a store is sealed in one
   * step.
   */
  get foreignKey(): string | undefined {
    const count = LISTS.reduce((sum, list) => sum + this.#lists[list].size, 0);
    const [first] = this.#plain;
    return first !== undefined && this.#plain.size < count ? this.#prefix + first : undefined;
  }

  /**
   * Applies changes in the order in which they were made.
   *
   * @returns whether the data is different
   * @throws InvalidDataError that names the key; some of the changes may have been applied then
   */
  apply(changes: readonly KeyChange[]): boolean {
    let isDifferent = false;
    for (const { key, value, modRevision } of changes) {
      try {
        isDifferent = this.#apply(key.slice(this.#prefix.length), key, value, modRevision) || isDifferent;
      } catch (error) {
        throw error instanceof InvalidDataError ? new InvalidDataError(`${key} ${error.message}`) : error;
      }
    }
    return isDifferent;
  }

  /** Applies a write of this process. */
  applyOwn(changes: RecordChanges, head: Head, revision: number): void {
    this.#setRecords(changes);
    for (const key of changes.keys()) this.#own.set(key, revision);
    this.#ownPending = head.pending && { id: head.pending.id, changes };
    [this.head, this.headRevision] = [head, revision];
  }

  /** The text under a key, after the prefix. */
  textOf(key: string): string | undefined {
    const { list, id } = parseRecordKey(key);
    return this.#lists[list].get(id);
  }

  /**
   * The content of a data file with these records, by ascending id. Those of the time of the call: later changes have no
   * effect. Other work need not wait for a large store.
   */
  async toBytes(): Promise<Buffer> {
    const { $schema, last_ids } = this.head?.file ?? {};
    const fields = Object.entries({ $schema, version: DATA_VERSION, last_ids }).flatMap(([name, value]) =>
      value === undefined ? [] : [`"${name}":${JSON.stringify(value)}`],
    );
    const lists = LISTS.map((list) => [list, this.#sorted(list)] as const);
    const pieces = [Buffer.from(`{${fields.join(",")}`)];
    for (const [list, texts] of lists) {
      pieces.push(Buffer.from(`,"${list}":[`));
      for (let start = 0; start < texts.length; start += CHUNK) {
        if (start > 0) await setImmediate();
        pieces.push(Buffer.from(`${start > 0 ? "," : ""}${texts.slice(start, start + CHUNK).join(",")}`));
      }
      pieces.push(Buffer.from("]"));
    }
    return Buffer.concat([...pieces, Buffer.from("}")]);
  }

  /** The changes of a pending write. @throws InvalidDataError */
  pendingChanges({ id, parts }: Pending): RecordChanges {
    if (this.#ownPending?.id === id) return this.#ownPending.changes;
    const changes = new Map<string, string | undefined>();
    for (let number = 0; number < parts; number++) {
      const bytes = this.#parts.get(partKey(id, number));
      if (!bytes) throw new InvalidDataError(`names ${partKey(id, number)}, which is missing`);
      const text = this.#sealing.open(bytes, this.#prefix + partKey(id, number));
      for (const [key, record] of parsePart(text)) changes.set(key, record);
    }
    return changes;
  }

  #apply(key: string, fullKey: string, value: Buffer | undefined, revision: number): boolean {
    if (key === HEAD_KEY) return this.#applyHead(value, revision);
    if (PART_KEY.test(key)) {
      if (value) this.#parts.set(key, value);
      else this.#parts.delete(key);
      return false;
    }
    if (revision < (this.#own.get(key) ?? 0)) return false;
    this.#own.delete(key);
    if (value && !this.#sealing.isCurrent(value)) this.#stale.add(key);
    else this.#stale.delete(key);
    if (value && !isSealed(value)) this.#plain.add(key);
    else this.#plain.delete(key);
    return this.#setRecord(key, value && this.#sealing.open(value, fullKey));
  }

  #applyHead(value: Buffer | undefined, revision: number): boolean {
    if (revision < this.headRevision) return false;
    if (!value) throw new InvalidDataError("is missing, although there are records");
    const before = JSON.stringify(this.head?.file);
    this.head = parseHead(value.toString("utf8"));
    this.headRevision = revision;
    const isDifferent = before !== JSON.stringify(this.head.file);
    return (this.head.pending && this.#setRecords(this.pendingChanges(this.head.pending))) || isDifferent;
  }

  #setRecords(changes: RecordChanges): boolean {
    let isDifferent = false;
    for (const [key, text] of changes) isDifferent = this.#setRecord(key, text) || isDifferent;
    return isDifferent;
  }

  #setRecord(key: string, text: string | undefined): boolean {
    const { list, id } = parseRecordKey(key);
    const records = this.#lists[list];
    if (text === undefined) return records.delete(id);
    if (records.get(id) === text) return false;
    checkRecord(text, id);
    if (id < this.#highest[list] && !records.has(id)) this.#unsorted.add(list);
    this.#highest[list] = Math.max(this.#highest[list], id);
    records.set(id, text);
    return true;
  }

  #sorted(list: List): string[] {
    // Once: a store is read by key, in which 10 comes before 9.
    if (this.#unsorted.delete(list)) this.#lists[list] = new Map([...this.#lists[list]].sort(([a], [b]) => a - b));
    return [...this.#lists[list].values()];
  }
}

/**
 * The writes that turn one version of the data into the next.
 *
 * @param changed made from `data`, so that records which are the same object are the same
 * @param checked the same with defaults filled in
 */
export function recordChanges(records: StoreRecords, data: Data, changed: Data, checked: Data): RecordChanges {
  const changes = new Map<string, string | undefined>();
  for (const list of LISTS) {
    const removed = new Map(data[list].map((record) => [record.id, record as unknown]));
    for (const [index, record] of changed[list].entries()) {
      const isSame = removed.get(record.id) === record;
      removed.delete(record.id);
      if (isSame) continue;
      const [key, text] = [`${list}/${record.id}`, JSON.stringify(checked[list][index])];
      if (records.textOf(key) !== text) changes.set(key, text);
    }
    for (const id of removed.keys()) changes.set(`${list}/${id}`, undefined);
  }
  return changes;
}

function parseRecordKey(key: string): { list: List; id: number } {
  const [, list, id] = RECORD_KEY.exec(key) ?? [];
  if (!Number.isSafeInteger(Number(id)))
    throw new InvalidDataError("is not the key of a record: the prefix is not a store's own");
  return { list: list as List, id: Number(id) };
}

/** Each record is complete JSON of its own: otherwise one could hold others, which no key names. */
function checkRecord(text: string, id: number): void {
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    throw new InvalidDataError("is not valid JSON");
  }
  const isRecord = typeof record === "object" && record !== null && (record as { id?: unknown }).id === id;
  if (!isRecord) throw new InvalidDataError("is not a record with the id of its key");
}

/** `[["values/7",{…}],["values/8",null]]`. @throws InvalidDataError */
function parsePart(text: string): [string, string | undefined][] {
  let part: unknown;
  try {
    part = JSON.parse(text);
  } catch {
    // Reported below.
  }
  if (!Array.isArray(part)) throw new InvalidDataError("names a part that is not valid JSON");
  return part.map((item: unknown) => {
    const [key, record] = Array.isArray(item) ? item : [];
    if (typeof key !== "string" || !RECORD_KEY.test(key) || typeof record !== "object")
      throw new InvalidDataError("names a part that breaks a rule");
    // As it was before: the texts of records are made by JSON.stringify.
    return [key, record === null ? undefined : JSON.stringify(record)];
  });
}
