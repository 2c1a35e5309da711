import type { EnvironmentRecord } from "../domain/environment.js";
import type { Variable, VariableValue } from "../domain/variable.js";

export const DATA_VERSION = 1;

export interface VariableRecord extends Readonly<Variable> {
  readonly application: string;
}

/**
 * A variable with defaults filled in. The order of the fields is that of a data file, and part of revisions.
 *
 * @param record `description` may be missing, and `application` in a file
 */
export function variableRecord({
  id,
  application = "default",
  type,
  name,
  description = "",
}: Pick<VariableRecord, "id" | "name" | "type"> & Partial<VariableRecord>): VariableRecord {
  return { id, application, type, name, description };
}

export interface ValueRecord extends Readonly<VariableValue> {
  readonly environment_id: number;
}

const LISTS = ["environments", "variables", "values"] as const;
type List = (typeof LISTS)[number];

/** Everything a store holds (docs/data-file.md), with defaults filled in. Never changed in place. */
export interface Data {
  /** For editors: where the JSON Schema is. */
  readonly $schema?: string;
  readonly version: typeof DATA_VERSION;
  /** The highest id each list ever had, since ids are not reused. Absent until appvars has deleted something. */
  readonly last_ids?: Readonly<Record<List, number>>;
  readonly environments: readonly EnvironmentRecord[];
  readonly variables: readonly VariableRecord[];
  readonly values: readonly ValueRecord[];
}

export const NO_DATA: Data = { version: DATA_VERSION, environments: [], variables: [], values: [] };

/** The id for a new record, which no record of the list has or ever had. */
export function nextId(data: Data, list: List): number {
  return highestId(data, list) + 1;
}

/** `next`, with the highest ids of both in `last_ids`. */
export function withLastIds(previous: Data, next: Data): Data {
  const last_ids = { environments: 0, variables: 0, values: 0 };
  for (const list of LISTS) last_ids[list] = Math.max(highestId(previous, list), highestId(next, list));
  return { ...next, last_ids };
}

function highestId(data: Data, list: List): number {
  let highest = data.last_ids?.[list] ?? 0;
  for (const { id } of data[list]) highest = Math.max(highest, id);
  return highest;
}

/** Whether both would be the same in a file, apart from the order of their records and of the fields in these. */
export function isSameData(a: Data, b: Data): boolean {
  const fields = ({ $schema, last_ids }: Data) => `${$schema} ${recordText(last_ids ?? {})}`;
  return (
    fields(a) === fields(b) &&
    isSameList(a.environments, b.environments) &&
    isSameList(a.variables, b.variables) &&
    isSameList(a.values, b.values)
  );
}

function isSameList(a: readonly Identified[], b: readonly Identified[]): boolean {
  if (a.length !== b.length) return false;
  const [sorted, others] = [a.toSorted(byId), b.toSorted(byId)];
  return sorted.every((record, index) => recordText(record) === recordText(others[index] as Identified));
}

function recordText(record: object): string {
  return JSON.stringify(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

interface Identified {
  readonly id: number;
}

/** Sorts records by ascending id, the order they are usually in already. */
export function byId(a: Identified, b: Identified): number {
  return a.id - b.id;
}
