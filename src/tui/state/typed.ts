import type { Key } from "./message.js";

/** The name of a key that is a paste, be it of one character only or of the name of a key. */
export const PASTE = "paste";

/** Whether a key types text: a character, or a paste. */
export function isTyped({ text }: Key): boolean {
  return text !== "";
}

/** The name of the key where keys are commands; `""` for a paste, so that nothing that is pasted commands anything. */
export function commandKeyName(key: Key): string {
  return key.name === PASTE ? "" : key.name;
}

/** The name of the key where text is typed; `""` for what types text. */
export function editKeyName(key: Key): string {
  return isTyped(key) ? "" : key.name;
}
