import { createHash } from "node:crypto";
import { NotFoundError } from "../kit/text/errors.js";
import { ANYTHING, isObject, rule } from "../kit/text/rules.js";
import {
  allKeyPairs,
  type Environment,
  type EnvironmentRecord,
  type RotatedPair,
} from "../model/environment.js";
import { type Data, LISTS, type List } from "./data.js";

/** `user@host`, and the command, such as `set`. */
export interface Author {
  readonly actor: string;
  readonly command: string;
}

/** The command of a change by another program, which was made at its time or before. */
export const OUTSIDE = "changed outside";

export const NOBODY: Author = { actor: "unknown", command: "unknown" };

/** One write to the data, without credentials. */
export interface Change extends Author {
  /** The id is higher than that of each change before it. */
  readonly id: number;
  /** ISO 8601, UTC, by the writer's clock. */
  readonly time: string;
  /** The changed records, at least one. Environments are {@link RecordedEnvironment}s. */
  readonly changes: readonly RecordChange[];
}

export interface History {
  readonly data: Data;
  /** The writes that led to the data, newest first, as far as they are kept. Can be read once. */
  readonly changes: AsyncIterable<Change>;
}

/** Returns this write and all later ones, newest first. @throws NotFoundError */
export async function changesSince(id: number, changes: History["changes"]): Promise<Change[]> {
  const since: Change[] = [];
  for await (const change of changes) {
    if (change.id < id) break;
    since.push(change);
  }
  if (since.at(-1)?.id === id) return since;
  throw new NotFoundError(`there is no change ${id}; appvars history lists those that are known`);
}

export interface RecordedEnvironment extends Environment {
  /** 16 bits of a hash: enough to see whether credentials have changed, too little to guess them. */
  readonly credentials: string;
  /** Absent if there are none. */
  readonly keys?: readonly RecordedKey[];
}

interface RecordedKey {
  readonly name: string;
  readonly only?: readonly string[] | undefined;
  readonly valid_until?: string | undefined;
  readonly credentials: string;
}

export function withoutCredentials({ list, before, after }: RecordChange): RecordChange {
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
  const pairs = allKeyPairs(key).map(({ api_key, api_secret }) => [api_key, api_secret]);
  return createHash("sha256").update(JSON.stringify(pairs)).digest("hex").slice(0, 4);
}

/** Lists of which only the ids matter. */
export type Records = Readonly<Record<List, readonly { readonly id: number }[]>>;

/**
 * A record before and after a change; null where there is none. At least one is there, and both
 * have the same id.
 */
export interface RecordChange {
  readonly list: List;
  readonly before: { readonly id: number } | null;
  readonly after: { readonly id: number } | null;
}

const hasId = (input: unknown) => isObject(input) && Number.isSafeInteger(input["id"]);

/** A record of which only the id is checked. */
export const RECORD = rule({ problem: (input) => (hasId(input) ? undefined : "has no id") });
const side = rule({ choose: (input) => (input === null ? ANYTHING : RECORD) });

/** The form of a {@link RecordChange}, whose records are not checked. */
export const RECORD_CHANGE = rule({
  fields: { list: rule({ oneOf: LISTS }), before: side, after: side },
});

export function idOf({ before, after }: RecordChange): number {
  return (after ?? before)?.id ?? 0;
}

/** The changes from one version of the data to the next. Quick if most records are the same objects. */
export function changesBetween(data: Records, next: Records): RecordChange[] {
  return LISTS.flatMap((list) => {
    const replaced = new Map<number, { readonly id: number }>();
    for (const [index, old] of data[list].entries())
      if (old !== next[list][index]) replaced.set(old.id, old);
    const changes: RecordChange[] = [];
    for (const [index, after] of next[list].entries()) {
      if (after === data[list][index]) continue;
      const before = replaced.get(after.id) ?? null;
      replaced.delete(after.id);
      if (!isSameRecord(before, after)) changes.push({ list, before, after });
    }
    for (const before of replaced.values()) changes.push({ list, before, after: null });
    return changes;
  });
}

/** Whether both would be the same in a file, apart from the order of their records. */
export function isSameData(data: Data, other: Data): boolean {
  const fields = ({ $schema, last_ids, history }: Data) =>
    JSON.stringify([$schema, last_ids, history]);
  return fields(data) === fields(other) && changesBetween(data, other).length === 0;
}

/** All records after changes, which are not checked. @param changes oldest first */
export function recordsAfter<T extends Records>(
  data: T,
  changes: readonly RecordChange[],
): Pick<T, List> {
  const after = <L extends List>(list: L) => {
    const records = new Map(data[list].map((record) => [record.id, record]));
    for (const { before, after } of changes.filter((change) => change.list === list)) {
      if (after) records.set(after.id, after);
      else records.delete(before?.id ?? 0);
    }
    return [...records.values()] as unknown as T[L];
  };
  return {
    environments: after("environments"),
    variables: after("variables"),
    values: after("values"),
  };
}

/** @param a has the fields of a checked record in the same order, and so has `b` */
export function isSameRecord(a: object | null, b: object | null): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
