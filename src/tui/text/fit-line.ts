import { graphemes } from "./graphemes.js";
import type { Line, Span } from "./line.js";
import { graphemeWidth, isNarrow, textWidth } from "./text-width.js";

/** What stands for the rest of a text that was cut. */
const ELLIPSIS = "…";

/** Visible text in exactly `width` columns: cut with `…`, or filled with spaces. */
export function fitText(text: string, width: number): string {
  if (width <= 0) return "";
  // The rest can't matter, and a value may be long.
  const [head, isCut] = cutText(text, width);
  if (!isCut) return head + " ".repeat(width - textWidth(head));
  const [shorter] = cutText(head, width - 1);
  return `${shorter}${ELLIPSIS}${" ".repeat(width - 1 - textWidth(shorter))}`;
}

/** A line in exactly `width` columns: cut with `…`, or filled with spaces. */
export function fitLine(line: Line, width: number): Line {
  const cut = cutLine(line, width);
  const left = width - lineWidth(cut);
  return left > 0 ? [...cut, { text: " ".repeat(left) }] : cut;
}

/** A line in at most `width` columns, cut with `…` where it has more. */
export function cutLine(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line;
  const kept: Span[] = [];
  let left = width;
  for (const span of line) {
    const spanWidth = textWidth(span.text);
    // Something comes after it, or else the line would not be too wide.
    if (spanWidth >= left) return [...kept, { ...span, text: fitText(`${span.text} `, left) }];
    kept.push(span);
    left -= spanWidth;
  }
  return kept;
}

/** Columns of a line. */
export function lineWidth(line: Line): number {
  return line.reduce((sum, span) => sum + textWidth(span.text), 0);
}

/** As much of a text as fits, and whether something is left over. */
function cutText(text: string, width: number): [head: string, isCut: boolean] {
  const head = text.slice(0, width);
  if (isNarrow(head) && (head.length === text.length || isNarrow(text.charAt(width))))
    return [head, text.length > width];
  let used = 0;
  for (const { text: grapheme, index } of graphemes(text)) {
    used += graphemeWidth(grapheme);
    if (used > width) return [text.slice(0, index), true];
  }
  return [text, false];
}
