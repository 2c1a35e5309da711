import type { VariableEntry } from "../../domain/source.js";
import { isEncrypted, type JsonValue, valueText } from "../../domain/variable.js";
import type { OpenPlace } from "../state/ports.js";

/** The text of a value for an editor: JSON with a line for each member. @throws DecryptionError */
export function textToEdit({ variable: { name, type }, value }: VariableEntry, decrypt: OpenPlace["decrypt"]): string {
  const content = value?.content.value;
  if (content === undefined) return "";
  const plain = decrypt(name, content);
  if (type !== "JSON") return valueText(plain);
  // What was encrypted is the text of the value.
  return isEncrypted(content) ? indented(valueText(plain)) : JSON.stringify(plain, null, 2);
}

/** JSON with a line for each member; the text itself unless that loses nothing, such as digits of a number. */
export function indented(text: string): string {
  try {
    const value: JsonValue = JSON.parse(text);
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}
