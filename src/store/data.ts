import type { EnvironmentRecord } from "../domain/environment.js";
import type { Variable, VariableValue } from "../domain/variable.js";

export const DATA_VERSION = 1;

export interface VariableRecord extends Readonly<Variable> {
  readonly application: string;
}

export interface ValueRecord extends Readonly<VariableValue> {
  readonly environment_id: number;
}

/** The highest id that each list ever had: an id is not used again after a delete. */
export interface LastIds {
  readonly environments: number;
  readonly variables: number;
  readonly values: number;
}

/** Everything a store holds (spec.md, part 3), with defaults filled in. Never changed in place. */
export interface Data {
  /** Where editors find the JSON Schema. */
  readonly $schema?: string;
  readonly version: typeof DATA_VERSION;
  /** Absent where nothing was ever deleted by appvars. */
  readonly last_ids?: LastIds;
  readonly environments: readonly EnvironmentRecord[];
  readonly variables: readonly VariableRecord[];
  readonly values: readonly ValueRecord[];
}

export const NO_DATA: Data = { version: DATA_VERSION, environments: [], variables: [], values: [] };
