import type { EnvironmentRecord } from "../domain/environment.js";
import type { Variable, VariableValue } from "../domain/variable.js";

export const DATA_VERSION = 1;

export interface VariableRecord extends Readonly<Variable> {
  readonly application: string;
}

export interface ValueRecord extends Readonly<VariableValue> {
  readonly environment_id: number;
}

/** Everything a store holds (spec.md, part 3), with defaults filled in. Never changed in place. */
export interface Data {
  readonly version: typeof DATA_VERSION;
  readonly environments: readonly EnvironmentRecord[];
  readonly variables: readonly VariableRecord[];
  readonly values: readonly ValueRecord[];
}
