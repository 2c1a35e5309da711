import type { Hash } from "node:crypto";
import { builtins } from "../kit/process/builtins.js";
import type { EnvironmentRecord, Scope } from "../model/environment.js";
import { createMatcher } from "../model/name-matcher.js";
import type { ValueRules, Variable, VariableValue } from "../model/variable.js";

export const DATA_VERSION = 1;

export interface VariableRecord extends Readonly<Variable>, ValueRules {
  readonly application: string;
}

/** A variable with defaults filled in. The order of the fields is a part of revisions. */
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
    ...{ id, application, type, name, description },
    // Left out by default: an older appvars refuses fields that it does not know.
    ...(optional && { optional }),
    ...(!secret && { secret }),
    ...(schema && { schema }),
    ...others,
  };
}

export interface ValueRecord extends Readonly<VariableValue> {
  readonly environment_id: number;
}

export const LISTS = ["environments", "variables", "values"] as const;
export type List = (typeof LISTS)[number];

/** Everything a store holds (docs/data-file.md), with defaults filled in. Never changed in place. */
export interface Data {
  /** The URL of the JSON Schema, for editors. */
  readonly $schema?: string;
  readonly version: typeof DATA_VERSION;
  /** Whether secrets are sealed texts. Only the content of a sealed file has it. */
  readonly sealed?: true;
  /**
   * No new record has these ids or lower ones. Absent until a record was deleted that had the
   * highest id of its list.
   */
  readonly last_ids?: Readonly<Record<List, number>>;
  /** How many entries the history of a data file has at most. */
  readonly history?: { readonly entries: number };
  readonly environments: readonly EnvironmentRecord[];
  readonly variables: readonly VariableRecord[];
  readonly values: readonly ValueRecord[];
}

export const NO_DATA: Data = { version: DATA_VERSION, environments: [], variables: [], values: [] };

/** The variables of an application by name. @param names only these */
export function variablesOf(
  data: Data,
  application: string,
  names?: ReadonlySet<string>,
): Map<string, VariableRecord> {
  const variables = new Map<string, VariableRecord>();
  for (const variable of data.variables)
    if (variable.application === application && (!names || names.has(variable.name)))
      variables.set(variable.name, variable);
  return variables;
}

/** The records that can be read of an environment, by ascending id. */
export function recordsOf({ variables, values }: Data, { id, application, only }: Scope) {
  const ofApplication = variables.filter((record) => record.application === application).sort(byId);
  const ofEnvironment = values.filter((record) => record.environment_id === id).sort(byId);
  if (only === undefined) return { variables: ofApplication, values: ofEnvironment };
  const { matches } = createMatcher(only);
  const visible = ofApplication.filter(({ name }) => matches(name));
  const ids = new Set(visible.map((variable) => variable.id));
  return {
    variables: visible,
    values: ofEnvironment.filter(({ variable_id }) => ids.has(variable_id)),
  };
}

/** The revisions of whole environments by their ids. */
const revisions = new WeakMap<Data, Map<number, string>>();

/** A hash of everything that can be read in a scope: the same on every replica and in every store. */
export function revisionOf(data: Data, scope: Scope): string {
  if (scope.only !== undefined) return hashOf(data, scope);
  const byScope = revisions.get(data) ?? new Map<number, string>();
  const revision = byScope.get(scope.id) ?? hashOf(data, scope);
  revisions.set(data, byScope.set(scope.id, revision));
  return revision;
}

/** The revisions of whole environments, for `keepRevisions`. */
export function allRevisions(data: Data): Map<number, string> {
  const hashes = new Map<string, Hash>();
  return new Map(
    data.environments.map((environment) => [environment.id, hashOf(data, environment, hashes)]),
  );
}

/** Keeps revisions that another thread has computed. */
export function keepRevisions(data: Data, made: Map<number, string>): void {
  revisions.set(data, made);
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

/** An id that no record of the list has or ever had. */
export function nextId(data: Data, list: List): number {
  return highestId(data, list) + 1;
}

/** `next`, with `last_ids` if `previous` has higher ids. */
export function withLastIds(previous: Data, next: Data): Data {
  const last_ids = { environments: 0, variables: 0, values: 0 };
  for (const list of LISTS)
    last_ids[list] = Math.max(highestId(previous, list), highestId(next, list));
  if (LISTS.every((list) => last_ids[list] === highestId(next, list))) return next;
  const { environments, variables, values, ...fields } = next;
  return { ...fields, last_ids, environments, variables, values };
}

function highestId(data: Data, list: List): number {
  let highest = data.last_ids?.[list] ?? 0;
  for (const { id } of data[list]) highest = Math.max(highest, id);
  return highest;
}

export function byId(a: { readonly id: number }, b: { readonly id: number }): number {
  return a.id - b.id;
}
