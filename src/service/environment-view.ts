import type { EnvironmentRecord } from "../domain/environment.js";
import type { Data, ValueRecord, VariableRecord } from "../store/data.js";
import { byId, findById } from "../store/sorted.js";

/** One environment's part of one snapshot, sorted by id. The records are the snapshot's own. */
export class EnvironmentView {
  readonly variables: readonly VariableRecord[];
  readonly values: readonly ValueRecord[];
  #valuesByName: ReadonlyMap<string, ValueRecord> | undefined;

  constructor(data: Data, environment: EnvironmentRecord) {
    this.variables = data.variables.filter(({ application }) => application === environment.application).sort(byId);
    this.values = data.values.filter(({ environment_id }) => environment_id === environment.id).sort(byId);
  }

  /** Built at its first use: many processes only list. */
  get valuesByName(): ReadonlyMap<string, ValueRecord> {
    this.#valuesByName ??= new Map(this.values.map((value) => [this.#nameOf(value), value]));
    return this.#valuesByName;
  }

  #nameOf(value: ValueRecord): string {
    return findById(this.variables, value.variable_id)?.name ?? "";
  }
}
