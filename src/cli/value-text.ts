import type { JsonValue } from "../domain/variable.js";

/** A value as text: a string as it is, anything else as compact JSON. */
export function valueText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
