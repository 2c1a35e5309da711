import { graphemes } from "./text/graphemes.js";
import { graphemeWidth } from "./text/text-width.js";

/** Signs joined into one, shown as a picture, flags and tones of skin: terminals differ in how wide these are. */
const UNSURE = /[\u200d\ufe0f\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}]/u;
const SGR = /(\x1b\[[\d;]*m)/;

/**
 * A painted line that looks the same wherever it is shown: behind each sign whose width terminals disagree about, the
 * cursor is sent to the column that it would have here. Else the borders on the right would be out of line.
 */
export function anchorColumns(line: string): string {
  if (!UNSURE.test(line)) return line;
  let column = 1;
  const anchored = (text: string) => {
    return Array.from(graphemes(text), (grapheme) => {
      column += graphemeWidth(grapheme.text);
      return UNSURE.test(grapheme.text) ? `${grapheme.text}\x1b[${column}G` : grapheme.text;
    }).join("");
  };
  return line
    .split(SGR)
    .map((part) => (SGR.test(part) ? part : anchored(part)))
    .join("");
}
