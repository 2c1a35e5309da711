import { InvalidArgumentError } from "commander";
import { isVariableType, VARIABLE_TYPES, type VariableType } from "../domain/variable.js";

/** The type that a flag names, in any case. */
export function parseType(text: string): VariableType {
  const type = text.toUpperCase();
  if (!isVariableType(type)) throw new InvalidArgumentError(`It must be one of ${VARIABLE_TYPES.join(", ")}.`);
  return type;
}
