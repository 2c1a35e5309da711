import { createHash } from "node:crypto";
import { NotFoundError } from "../kit/text/errors.js";
import { ANYTHING, isObject, rule } from "../kit/text/rules.js";
import {
  allKeyPairs,
  type Environment,
  type EnvironmentRecord,
  type RotatedPair,
} from "../model/environment.js";
import { type Data, type Identified, LIST_NAMES, type ListName, mapById } from "./data.js";

export interface Author {
  /** `user@host`. */
  readonly actor: string;
  /** Such as `set`. */
  readonly command: string;
}

/** The command of a change by another program, made at its time or before. */
export const EXTERNAL_COMMAND = "changed outside";

export const UNKNOWN_AUTHOR: Author = { actor: "unknown", command: "unknown" };

/** One write to the data, without credentials. */
export interface RecordedWrite extends Author {
  /** Higher than the ids of earlier changes. */
  readonly id: number;
  /** ISO 8601, UTC, by the writer's clock. */
  readonly time: string;
  /**
   * The changed records, at least one. Environments are
   * {@link RecordedEnvironment}s.
   */
  readonly changes: readonly RecordChange[];
}

export interface History {
  readonly data: Data;
  /** The recorded writes that led to the data, newest first. Can be read once. */
  readonly writes: AsyncIterable<RecordedWrite>;
}

/** Returns this write and all later ones, newest first. @throws NotFoundError */
export async function writesSince(id: number, writes: History["writes"]): Promise<RecordedWrite[]> {
  const since: RecordedWrite[] = [];
  for await (const write of writes) {
    if (write.id < id) break;
    since.push(write);
  }
  if (since.at(-1)?.id === id) return since;
  throw new NotFoundError(`there is no change ${id}; appvars history lists those that are known`);
}

export interface RecordedEnvironment extends Environment {
  /** 16 bits of a hash show changes, but are too few to guess credentials. */
  readonly credentials: string;
  readonly keys?: readonly RecordedKey[];
}

interface RecordedKey {
  readonly name: string;
  readonly only?: readonly string[] | undefined;
  readonly valid_until?: string | undefined;
  readonly credentials: string;
}

export function changeWithoutCredentials({ list, before, after }: RecordChange): RecordChange {
  if (list !== "environments") return { list, before, after };
  const recorded = (record: RecordChange["before"]) =>
    record && recordedEnvironment(record as EnvironmentRecord);
  return { list, before: recorded(before), after: recorded(after) };
}

export function recordedData({ environments, variables, values }: Data): Records {
  return { environments: environments.map(recordedEnvironment), variables, values };
}

function recordedEnvironment(environment: EnvironmentRecord): RecordedEnvironment {
  const { id, application, name, keys = [] } = environment;
  const recorded = keys.map((key): RecordedKey => {
    const { name, only, valid_until } = key;
    return { name, only, valid_until, credentials: credentialsOf(key) };
  });
  const credentials = credentialsOf(environment);
  return { id, application, name, credentials, ...(keys.length > 0 && { keys: recorded }) };
}

function credentialsOf(key: RotatedPair): string {
  const pairs: string[][] = [];
  for (const { api_key, api_secret } of allKeyPairs(key)) pairs.push([api_key, api_secret]);
  return createHash("sha256").update(JSON.stringify(pairs)).digest("hex").slice(0, 4);
}

export type Records = Readonly<Record<ListName, readonly Identified[]>>;

/**
 * A record before and after a change; at least one is not null, and both have
 * the same id.
 */
export interface RecordChange {
  readonly list: ListName;
  readonly before: Identified | null;
  readonly after: Identified | null;
}

const hasId = (input: unknown) => isObject(input) && Number.isSafeInteger(input["id"]);

/** A record of which only the id is checked. */
export const RECORD_RULE = rule({ problem: (input) => (hasId(input) ? undefined : "has no id") });
const side = rule({ choose: (input) => (input === null ? ANYTHING : RECORD_RULE) });

/** A {@link RecordChange}, whose records are not checked. */
export const RECORD_CHANGE_RULE = rule({
  fields: { list: rule({ oneOf: LIST_NAMES }), before: side, after: side },
});

export function idOf({ before, after }: RecordChange): number {
  return (after ?? before)?.id ?? 0;
}

/**
 * Returns what has changed from `data` to `next`. Quick if most records are the
 * same objects.
 */
export function changesBetween(data: Records, next: Records): RecordChange[] {
  const changes: RecordChange[] = [];
  for (const list of LIST_NAMES) {
    const replaced = new Map<number, Identified>();
    for (const [index, old] of data[list].entries())
      if (old !== next[list][index]) replaced.set(old.id, old);
    for (const [index, after] of next[list].entries()) {
      if (after === data[list][index]) continue;
      const before = replaced.get(after.id) ?? null;
      replaced.delete(after.id);
      if (!isSameRecord(before, after)) changes.push({ list, before, after });
    }
    for (const before of replaced.values()) changes.push({ list, before, after: null });
  }
  return changes;
}

/** Whether files with these data would differ in the order of records at most. */
export function isSameData(data: Data, other: Data): boolean {
  const fields = ({ $schema, last_ids, history }: Data) =>
    JSON.stringify([$schema, last_ids, history]);
  return fields(data) === fields(other) && changesBetween(data, other).length === 0;
}

/** Applies changes, which are not checked, the oldest first. */
export function applyRecordChanges<T extends Records>(
  data: T,
  changes: readonly RecordChange[],
): Pick<T, ListName> {
  const lists = LIST_NAMES.map((list) => {
    const records = mapById(data[list]);
    for (const change of changes.filter((each) => each.list === list)) {
      if (change.after) records.set(change.after.id, change.after);
      else records.delete(idOf(change));
    }
    return [list, [...records.values()]];
  });
  return Object.fromEntries(lists) as Pick<T, ListName>;
}

/** @param a has its fields in the order of checked records, as has `b` */
export function isSameRecord(a: object | null, b: object | null): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
