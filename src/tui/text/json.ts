import type { VariableEntry } from "../../domain/source.js";
import { isEncrypted, type JsonValue, textAs, valueText } from "../../domain/variable.js";

/** The value of a text; undefined if it is not JSON, as decrypted text may be. */
export function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of a value for an editor: JSON with a line for each member. @throws DecryptionError */
export function textToEdit(
  { variable: { name, type }, value }: VariableEntry,
  decrypt: (name: string, value: JsonValue) => JsonValue,
): string {
  const content = value?.content.value;
  if (content === undefined) return "";
  if (!isEncrypted(content)) return textAs(content, type, 2);
  // The encrypted text is the text of the value.
  const text = valueText(decrypt(name, content));
  return type === "JSON" ? indentedJson(text) : text;
}

/** JSON with a line for each member; the text itself unless that loses nothing, such as digits of a number. */
export function indentedJson(text: string): string {
  const value = parsedJson(text);
  return value !== undefined && JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text;
}
