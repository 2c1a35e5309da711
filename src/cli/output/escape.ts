import { printable } from "../../domain/printable.js";

/** A field of a tab-separated line: printable, with backslashes doubled so that escapes can be read back. */
export function escapeField(text: string): string {
  return printable(text.replaceAll("\\", "\\\\"));
}

/** The same JSON with only printable characters: the others are written as `\uXXXX`. */
export function escapeJson(json: string): string {
  return printable(json, (character) => {
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}
