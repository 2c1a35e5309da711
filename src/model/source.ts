import { durationText } from "../kit/text/duration.js";
import { AnswersChangedError, ServerError } from "../kit/text/errors.js";
import type { JsonValue } from "../kit/text/strict-json.js";
import { MAX_LIMIT, type Page, type PageRequest } from "./page.js";
import type { ValuesByName, VariableReader } from "./read.js";
import {
  type NamedValue,
  type ValueRules,
  type Variable,
  type VariableValue,
  valueFitsType,
} from "./variable.js";

export interface Health {
  /** Seconds since the server started. */
  uptime: number;
  /** `OK`, or the problem. */
  message: string;
  /** ISO 8601, UTC, with milliseconds. */
  date: string;
  /** Whole seconds since the data of a store was last known to be the newest. A header in HTTP. */
  data_age?: number;
}

/** The report of `/healthz` for data that can't be reloaded. Anyone may ask, so it names nothing. */
export const STALE_DATA =
  "the data file could not be read again; the last good data is being served";

/** The same report for a data store. @param age the age of the data in milliseconds */
export function staleStoreMessage(age: number): string {
  return `the data store could not be read again; the data being served is ${durationText(age)} old`;
}

/** Reads one version of the data. */
export interface Snapshot extends VariableReader {
  /** Identifies the version. `undefined` before the first answer, and from some servers. */
  readonly revision: string | undefined;
}

/**
 * The variables of one environment, from a store or a server. Its own methods
 * read the current data; whoever needs several calls uses `readSnapshot`.
 */
export interface VariableSource extends VariableReader {
  /**
   * Resolves to the result of `read`, whose answers are all of one version of
   * the data. When the data changes in the meantime, `read` is called again
   * with another snapshot.
   *
   * @param read must only read, and wait for all its requests: those that still
   *   run when the data changes reject
   * @throws ServerError when the data changed during every attempt; the errors
   *   of `read`
   */
  readSnapshot<T>(read: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /** @throws ServerError with the reason as its message when the server is not healthy */
  getHealth(): Promise<Health>;
  close(): Promise<void>;
}

/**
 * Reads the pages of a list, in order.
 *
 * @throws AnswersChangedError when their lengths, or their ids, which are not
 *   reused, show that they are not of one list
 */
export async function* readPages<T extends { readonly id: number }>(
  list: (page: PageRequest) => Promise<Page<T>>,
): AsyncGenerator<Page<T>, undefined> {
  let total: number | undefined;
  let [read, lastId] = [0, 0];
  do {
    const page = await list({ limit: MAX_LIMIT, offset: read });
    const { data, metadata } = page;
    if (metadata.total !== (total ?? metadata.total))
      throw new AnswersChangedError(
        `the length of a list changed from ${total} to ${metadata.total}`,
      );
    total = metadata.total;
    if ((data[0]?.id ?? Number.POSITIVE_INFINITY) <= lastId)
      throw new AnswersChangedError("the server repeats ids in the pages of a list");
    read += data.length;
    lastId = data.at(-1)?.id ?? lastId;
    if (data.length === 0 && read < total)
      throw new AnswersChangedError("the server leaves out the end of a list");
    yield page;
  } while (read < total);
}

/** Reads a whole list, page by page. @throws as {@link readPages} */
export async function readAll<T extends { readonly id: number }>(
  list: (page: PageRequest) => Promise<Page<T>>,
): Promise<T[]> {
  const items: T[] = [];
  for await (const { data } of readPages(list)) for (const item of data) items.push(item);
  return items;
}

/** A variable, and its value record if it has one in this environment. */
export interface VariableEntry {
  readonly variable: Variable;
  readonly value: VariableValue | undefined;
  /** The result of `rulesOf`, if the reader of the entry asks for it. */
  readonly rules?: ValueRules | undefined;
}

/** Reads all variables with their values. @throws ServerError when they don't match */
export async function readVariableEntries(reader: VariableReader): Promise<VariableEntry[]> {
  const variables = await readAll((page) => reader.listVariables(page));
  const values = await readAll((page) => reader.listValues(page));
  return joinValues(variables, checkConsistency(variables, values));
}

export function withRules(
  entries: readonly VariableEntry[],
  reader: VariableReader,
): VariableEntry[] {
  return entries.map((entry) => {
    const rules = reader.rulesOf(entry.variable.id);
    return rules ? { ...entry, rules } : entry;
  });
}

/** Checks two whole lists. Returns the values `byVariable`. @throws AnswersChangedError */
export function checkConsistency(
  variables: readonly Variable[],
  values: readonly VariableValue[],
): ReadonlyMap<number, VariableValue> {
  const names = new Set(variables.map(({ name }) => name));
  if (names.size < variables.length)
    throw new AnswersChangedError("the server lists two variables with the same name");
  const ids = new Set(variables.map(({ id }) => id));
  if (!values.every(({ variable_id }) => ids.has(variable_id)))
    throw new AnswersChangedError("the server lists a value without its variable");
  const joined = byVariable(values);
  if (joined.size < values.length)
    throw new AnswersChangedError("the server lists two values of the same variable");
  return joined;
}

export function byVariable(values: readonly VariableValue[]): Map<number, VariableValue> {
  const joined = new Map<number, VariableValue>();
  for (const value of values) joined.set(value.variable_id, value);
  return joined;
}

/** @param values by the ids of their variables @throws as {@link checkType} */
export function joinValues(
  variables: readonly Variable[],
  values: ReadonlyMap<number, VariableValue>,
): VariableEntry[] {
  return variables.map((variable) => {
    const value = values.get(variable.id);
    checkType(variable, value?.content.value);
    return { variable, value };
  });
}

export function valuesByName(entries: readonly VariableEntry[]): ValuesByName {
  return Object.fromEntries(namedValues(entries).map(({ name, value }) => [name, value]));
}

export function namedValues(entries: readonly VariableEntry[]): NamedValue[] {
  const values: NamedValue[] = [];
  for (const { variable, value, rules } of entries)
    if (value)
      values.push({ name: variable.name, type: variable.type, value: value.content.value, rules });
  return values;
}

/** @throws ServerError for a value that no data file can contain */
export function checkType({ name, type }: Variable, value: JsonValue | undefined): void {
  if (value === undefined || valueFitsType(value, type)) return;
  throw new ServerError(`the server sends a value for ${name} that is not a ${type}`, 200);
}
