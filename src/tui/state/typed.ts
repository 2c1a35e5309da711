import type { Key } from "./message.js";

/** Whether a key types text: a character, or a paste. A paste that reads `enter` or `delete` is text too, no key. */
export function isTyped({ name, text }: Key): boolean {
  return text !== "" && text === name;
}

/** The name of the key where keys are commands; `""` for a paste, so that nothing that is pasted commands anything. */
export function commandKeyName(key: Key): string {
  return isTyped(key) && Array.from(key.text).length > 1 ? "" : key.name;
}

/** The name of the key where text is typed; `""` for what types text. */
export function editKeyName(key: Key): string {
  return isTyped(key) ? "" : key.name;
}
