import { UsageError } from "../domain/errors.js";
import { isVariableName } from "../domain/variable.js";

/** @throws UsageError that lists every name that no variable can have */
export function checkNames(names: readonly string[]): void {
  const bad = names.filter((name) => !isVariableName(name));
  if (bad.length > 0) throw new UsageError(`these can't be names of variables: ${bad.map(quote).join(", ")}`);
}

/** A name may be anything here, control characters and the whole file included. */
function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
