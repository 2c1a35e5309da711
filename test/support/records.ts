import type { Variable } from "../../src/model/variable.js";
import type { VariableRecord } from "../../src/store/data.js";

/** A variable as the API has it. Tests name the fields that they are about. */
export function aVariable(fields: Partial<Variable> = {}): Variable {
  return { id: 1, type: "STRING", name: "NAME", description: "", ...fields };
}

/** A variable as a data file has it, of the application `shop`. */
export function aRecord(fields: Partial<VariableRecord> = {}): VariableRecord {
  const { id, ...definition } = aVariable();
  // In the order of a data file, on which revisions depend.
  return { id, application: "shop", ...definition, ...fields };
}
