import type { JsonValue } from "../../domain/variable.js";

/** The value of a text; undefined if it is not JSON, as decrypted text may be. */
export function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON with a line for each member; the text itself unless that loses nothing, such as digits of a number. */
export function indentedJson(text: string): string {
  const value = parsedJson(text);
  return value !== undefined && JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text;
}
