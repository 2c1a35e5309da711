import type { Hash } from "node:crypto";
import { builtins } from "../kit/process/builtins.js";
import type { JsonValue } from "../kit/text/strict-json.js";
import type { EnvironmentRecord, Scope } from "../model/environment.js";
import { createMatcher } from "../model/name-matcher.js";
import type { ValueRules, Variable, VariableValue } from "../model/variable.js";

export const DATA_VERSION = 1;

export interface VariableRecord extends Readonly<Variable>, ValueRules {
  readonly application: string;
}

/** Fills in defaults. The order of the fields is a part of revisions. */
export function variableRecord({
  id,
  application = "default",
  type,
  name,
  description = "",
  optional = false,
  secret = true,
  schema,
  ...others
}: Pick<VariableRecord, "id" | "name" | "type"> & Partial<VariableRecord>): VariableRecord {
  return {
    id,
    application,
    type,
    name,
    description,
    // Defaults are left out: an older appvars refuses fields that it does not
    // know.
    ...(optional && { optional }),
    ...(!secret && { secret }),
    ...(schema && { schema }),
    ...others,
  };
}

export interface ValueRecord extends Readonly<VariableValue> {
  readonly environment_id: number;
}

export const LIST_NAMES = ["environments", "variables", "values"] as const;
export type ListName = (typeof LIST_NAMES)[number];

/**
 * All data of a store (docs/data-file.md), with defaults filled in. Never
 * changed in place.
 */
export interface Data {
  /** The URL of the JSON Schema, for editors. */
  readonly $schema?: string;
  readonly version: typeof DATA_VERSION;
  /** Set if secrets are sealed strings, as in the content of a sealed file. */
  readonly sealed?: true;
  /**
   * The highest ids ever used; set once a record with a list's highest id is
   * deleted.
   */
  readonly last_ids?: Readonly<Record<ListName, number>>;
  /** The maximum number of entries in the history of a data file. */
  readonly history?: { readonly entries: number };
  readonly environments: readonly EnvironmentRecord[];
  readonly variables: readonly VariableRecord[];
  readonly values: readonly ValueRecord[];
}

export interface Identified {
  readonly id: number;
}

export const NO_DATA: Data = { version: DATA_VERSION, environments: [], variables: [], values: [] };

/** Returns the variables of an application by name. */
export function variablesOf(data: Data, application: string): Map<string, VariableRecord> {
  const variables = new Map<string, VariableRecord>();
  for (const variable of data.variables)
    if (variable.application === application) variables.set(variable.name, variable);
  return variables;
}

/** Returns the records that a scope can read, by ascending id. */
export function recordsOf(data: Data, { id, application, only }: Scope) {
  const matches = only && createMatcher(only).matches;
  const variables: VariableRecord[] = [];
  for (const variable of data.variables)
    if (variable.application === application && matches?.(variable.name) !== false)
      variables.push(variable);
  const ids = matches && new Set(variables.map((variable) => variable.id));
  const values: ValueRecord[] = [];
  for (const value of data.values)
    if (value.environment_id === id && ids?.has(value.variable_id) !== false) values.push(value);
  return { variables: variables.sort(byId), values: values.sort(byId) };
}

/**
 * The revisions of whole environments by their ids, as another thread has
 * computed them.
 */
const revisions = new WeakMap<Data, ReadonlyMap<number, string>>();

/**
 * Hashes all that a scope can read: the same on every replica and in every
 * store.
 */
export function revisionOf(data: Data, scope: Scope): string {
  const computed = scope.only === undefined && revisions.get(data)?.get(scope.id);
  return computed || hashOf(data, scope);
}

/** Computes the revisions of whole environments. */
export function allRevisions(data: Data): Map<number, string> {
  const hashes = new Map<string, Hash>();
  return new Map(
    data.environments.map((environment) => [environment.id, hashOf(data, environment, hashes)]),
  );
}

export function keepRevisions(data: Data, computed: Map<number, string>): void {
  revisions.set(data, computed);
}

/** @param hashes the hashes of the variables of each application */
function hashOf(data: Data, scope: Scope, hashes = new Map<string, Hash>()): string {
  const { variables, values } = recordsOf(data, scope);
  const { application } = scope;
  const start =
    hashes.get(application) ??
    builtins.crypto.createHash("sha256").update(`[${JSON.stringify(variables)},`);
  hashes.set(application, start);
  // 128 bits.
  return start
    .copy()
    .update(`${JSON.stringify(values)}]`)
    .digest("base64url")
    .slice(0, 22);
}

/** Returns the highest id that a record of the list has or ever had. */
export function lastId(data: Data, list: ListName): number {
  let last = data.last_ids?.[list] ?? 0;
  for (const { id } of data[list]) last = Math.max(last, id);
  return last;
}

/** Returns `next`, with `last_ids` if `previous` has higher ids. */
export function withLastIds(previous: Data, next: Data): Data {
  const last_ids = { environments: 0, variables: 0, values: 0 };
  let isHigher = false;
  for (const list of LIST_NAMES) {
    const last = lastId(next, list);
    last_ids[list] = Math.max(lastId(previous, list), last);
    isHigher ||= last_ids[list] > last;
  }
  return isHigher ? { ...next, last_ids } : next;
}

export function mapById<T extends Identified>(records: readonly T[]): Map<number, T> {
  return new Map(records.map((record) => [record.id, record]));
}

/** Returns the values by the ids of their variables. The last one counts. */
export function contentsOf(values: readonly ValueRecord[]): Map<number, JsonValue> {
  return new Map(values.map(({ variable_id, content }) => [variable_id, content.value]));
}

export function byId(a: Identified, b: Identified): number {
  return a.id - b.id;
}
