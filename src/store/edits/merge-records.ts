import { createHmac } from "node:crypto";
import { isDeepStrictEqual as isSame } from "node:util";
import {
  allKeyPairs,
  type Environment,
  type EnvironmentRecord,
  type NamedKey,
  qualifiedName,
} from "../../model/environment.js";
import { isPublic, isUnreadable } from "../../model/variable.js";
import {
  type Data,
  LIST_NAMES,
  type ListName,
  lastId,
  mapById,
  type ValueRecord,
  type VariableRecord,
} from "../data.js";

/** A record without ids, which may belong to others in another branch. */
export interface MergeRecord {
  readonly id: number;
  /**
   * The keys of records that it refers to: a value its variable and its
   * environment.
   */
  readonly refersTo: readonly string[];
  /**
   * The fields of a record, or the content of a value. All credentials are one
   * field.
   */
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Records by kind and names. A renamed record has the name of the common
 * ancestor.
 */
export type MergeRecords = Map<string, MergeRecord>;

type Kind = ListName | "keys" | "settings";

/**
 * The key of the record with the top-level fields, such as `sealed` and
 * `history`.
 */
export const TOP_LEVEL_KEY = keyOf("settings");

function keyOf(kind: Kind, ...names: string[]): string {
  // Names have no control characters.
  return [kind, ...names].join("\n");
}

/** Returns `variable shop/PORT`, or `shop/PORT in shop/test` for a value. */
export function labelOf(key: string): string {
  const [kind, ...names] = key.split("\n");
  const text = names.join(" in ");
  return kind === "values" ? text : `${kind?.slice(0, -1)} ${text}`.trim();
}

/** @param base the common ancestor */
export function mergeRecordsOf(data: Data, base: Data): MergeRecords {
  const { version: _, last_ids: _ids, environments, variables, values, ...settings } = data;
  const records: MergeRecords = new Map([
    [TOP_LEVEL_KEY, { id: 0, refersTo: [], fields: settings }],
  ]);
  const ofEnvironment = commonNames(environments, base.environments, sharesKey);
  const sameValues = variablesWithSameValue(data, base);
  const isSameVariable = (record: VariableRecord, before: VariableRecord) =>
    record.application === before.application &&
    (record.description === before.description || sameValues.has(record.id));
  const ofVariable = commonNames(variables, base.variables, isSameVariable);
  for (const { id, keys = [], ...fields } of environments) {
    const environment = keyOf("environments", ofEnvironment(id));
    records.set(environment, { id, refersTo: [], fields: groupCredentials(fields) });
    for (const key of keys) {
      const record = { id: 0, refersTo: [environment], fields: groupCredentials(key) };
      records.set(keyOf("keys", key.name, ofEnvironment(id)), record);
    }
  }
  for (const { id, ...fields } of variables)
    records.set(keyOf("variables", ofVariable(id)), { id, refersTo: [], fields });
  for (const { id, variable_id, environment_id, content } of values) {
    const [variable, environment] = [ofVariable(variable_id), ofEnvironment(environment_id)];
    const refersTo = [keyOf("variables", variable), keyOf("environments", environment)];
    records.set(keyOf("values", variable, environment), { id, refersTo, fields: { ...content } });
  }
  return records;
}

/**
 * Returns names by the ids of records. A renamed record has its name in `base`.
 *
 * @param isAlike whether records with one id are the same: a merge may have
 *   reused it
 */
function commonNames<T extends Environment>(
  records: readonly T[],
  base: readonly T[],
  isAlike: (record: T, before: T) => boolean,
): (id: number) => string {
  const old = mapById(base);
  const baseNames = new Set(base.map(qualifiedName));
  const ownNames = new Set(records.map(qualifiedName));
  const names = new Map<number, string>();
  for (const record of records) {
    const before = old.get(record.id);
    const isRenamed =
      before &&
      !baseNames.has(qualifiedName(record)) &&
      !ownNames.has(qualifiedName(before)) &&
      isAlike(record, before);
    names.set(record.id, qualifiedName(isRenamed ? before : record));
  }
  return (id) => names.get(id) as string;
}

function sharesKey(record: EnvironmentRecord, before: EnvironmentRecord): boolean {
  const oldKeys = allKeyPairs(before).map(({ api_key }) => api_key);
  return allKeyPairs(record).some(({ api_key }) => oldKeys.includes(api_key));
}

/**
 * Returns the ids of the variables that have the same value in an environment
 * of both.
 */
function variablesWithSameValue(data: Data, base: Data): ReadonlySet<number> {
  const cellOf = (value: ValueRecord) => `${value.variable_id} ${value.environment_id}`;
  const old = new Map(base.values.map((value) => [cellOf(value), value.content]));
  const same = data.values.filter((value) => isSame(old.get(cellOf(value)), value.content));
  return new Set(same.map(({ variable_id }) => variable_id));
}

function groupCredentials({
  api_key,
  api_secret,
  rotated_at,
  previous,
  ...fields
}: Partial<NamedKey>) {
  const credentials = { api_key, api_secret, ...(rotated_at && { rotated_at }), previous };
  return { ...fields, credentials };
}

function ungroupCredentials({ credentials, ...fields }: MergeRecord["fields"]): object {
  return { ...fields, ...(credentials as object) };
}

/**
 * Makes unchecked data. Records of `ours` keep their ids.
 *
 * @param branch the records of `ours`
 */
export function toData(merged: MergeRecords, branch: MergeRecords, ours: Data, theirs: Data): Data {
  const of = (kind: Kind) => [...merged].filter(([key]) => key.startsWith(`${kind}\n`));
  const ids = new Map<string, number>();
  for (const list of LIST_NAMES) {
    const last = lastId(ours, list);
    let highest = Math.max(last, lastId(theirs, list));
    for (const [key, { id }] of of(list))
      ids.set(key, branch.has(key) || id > last ? id : ++highest);
  }
  const keys = new Map<string | undefined, object[]>();
  for (const [, { refersTo, fields }] of of("keys"))
    keys.set(refersTo[0], [...(keys.get(refersTo[0]) ?? []), ungroupCredentials(fields)]);
  const environments = of("environments").map(([key, { fields }]) => {
    const own = keys.get(key);
    return { id: ids.get(key), ...ungroupCredentials(fields), ...(own && { keys: own }) };
  });
  const variables = of("variables").map(([key, { fields }]) => ({ id: ids.get(key), ...fields }));
  const values = of("values").map(
    ([key, { refersTo, fields: content }]): Record<keyof ValueRecord, unknown> => {
      const [variable_id, environment_id] = refersTo.map((key) => ids.get(key));
      return { id: ids.get(key), variable_id, environment_id, content };
    },
  );
  const { version, last_ids } = ours;
  const settings = { ...merged.get(TOP_LEVEL_KEY)?.fields, version, ...(last_ids && { last_ids }) };
  return { ...settings, environments, variables, values } as unknown as Data;
}

/**
 * Describes each record in a line.
 *
 * @param key marks secrets. Default: they have no mark
 */
export function linesByName(content: Data, key: string | Buffer | undefined): string[] {
  const mark = (secret: unknown) =>
    key === undefined
      ? "secret"
      : `secret ${createHmac("sha256", key).update(JSON.stringify(secret)).digest("hex").slice(0, 32)}`;
  const records = mergeRecordsOf(content, content);
  const lines = [...records].flatMap(([name, { refersTo, fields }]) => {
    const { application: _, name: __, value, credentials, ...others } = fields;
    if (name === TOP_LEVEL_KEY)
      return Object.entries(others).map(
        ([field, content]) => `${field} ${JSON.stringify(content)}`,
      );
    const shown =
      credentials === undefined ? others : { ...others, credentials: mark(credentials) };
    if (!("value" in fields)) return `${labelOf(name)} ${JSON.stringify(shown)}`;
    const isShown = isPublic(records.get(refersTo[0] ?? "")?.fields) && !isUnreadable(value);
    return `${labelOf(name)} ${isShown ? JSON.stringify(value) : `(${mark(value)})`}`;
  });
  return lines.sort();
}
