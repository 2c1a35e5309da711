import { graphemes, graphemeWidth } from "../text/graphemes.js";

/** Joined emoji, emoji presentation, flags and skin tones: terminals disagree about their width. */
const UNSURE = /[\u200d\ufe0f\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}]/u;
const SGR = /(\x1b\[[\d;]*m)/;

/**
 * A painted line that looks the same on all terminals: after each grapheme of uncertain width, the cursor is moved to the
 * expected column. Otherwise the borders to the right would be displaced.
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
