import type { JsonValue } from "../../domain/variable.js";

/** The value of a text; undefined if it is not JSON, as decrypted text may be. */
export function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
