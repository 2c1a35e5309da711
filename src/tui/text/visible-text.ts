import { escapeControls } from "../../domain/escape-controls.js";
import { graphemes } from "./graphemes.js";
import { graphemeWidth, isNarrow } from "./text-width.js";

/** What changes the direction of text, and so can make it read as another. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** What ends a line or a paragraph to some terminals. */
const SEPARATORS = /[\u2028\u2029]/g;

/**
 * Text from elsewhere as it can stand on one line: control characters, those that turn the direction of text, and
 * those that nobody would see become escapes. Each grapheme of what is returned is at least one column wide.
 */
export function visibleText(text: string): string {
  if (isNarrow(text)) return text;
  const escaped = escapeControls(text).replace(BIDI, escapeUnits).replace(SEPARATORS, escapeUnits);
  if (isNarrow(escaped)) return escaped;
  return Array.from(graphemes(escaped), (grapheme) => {
    return graphemeWidth(grapheme.text) === 0 ? escapeUnits(grapheme.text) : grapheme.text;
  }).join("");
}

function escapeUnits(text: string): string {
  return Array.from({ length: text.length }, (_, index) => {
    return `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }).join("");
}
