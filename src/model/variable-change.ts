import type { JsonValue } from "../kit/text/strict-json.js";
import type { Definition, VariableType } from "./variable.js";

/**
 * A variable in one environment. All environments of an application share
 * everything but the value.
 */
export interface VariableState extends Readonly<Partial<Definition>> {
  readonly type: VariableType;
  readonly description: string;
  /** `undefined` for no value. */
  readonly value: JsonValue | undefined;
}

/**
 * The desired state of a variable. Without a value, the current one is removed.
 */
export interface WantedValue extends VariableState {
  readonly name: string;
}

/**
 * A change to one variable. `before` or `after` is `undefined` if the variable
 * does not exist then.
 */
export interface VariableChange {
  readonly name: string;
  /** The new name, in all environments of the application. */
  readonly newName?: string | undefined;
  readonly before: VariableState | undefined;
  readonly after: VariableState | undefined;
}

/** Items for the variables of one environment. */
export interface PerEnvironment<T> {
  /** `shop/test` */
  readonly environment: string;
  readonly changes: readonly T[];
}

export type EnvironmentChanges = PerEnvironment<VariableChange>;

/** A write by any program, limited to the application of one environment. */
export interface HistoryEntry {
  readonly id: number;
  /** ISO 8601, UTC. */
  readonly time: string;
  /** `ana@laptop` */
  readonly actor: string;
  readonly command: string;
  /**
   * The changes in each environment. A change of only the definition is listed
   * under that environment.
   */
  readonly parts: readonly EnvironmentChanges[];
  /**
   * Whether the write also changed environments, keys or other applications,
   * which is not undone here.
   */
  readonly hasMore: boolean;
}
