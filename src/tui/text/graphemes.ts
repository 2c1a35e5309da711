import stringWidth from "string-width";
import { escapeCharacter, printable } from "../../kit/text/printable.js";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * The code units per call of `Intl.Segmenter`, whose time grows with the square
 * of the length in Node 20. Also the code units segmented around an index, far
 * more than any grapheme has.
 */
const CHUNK = 1_000;

/**
 * Yields the graphemes with their indexes. Splits one that is longer than a
 * chunk.
 */
export function* graphemes(
  text: string,
): Generator<{ readonly text: string; readonly index: number }> {
  for (let start = 0; start < text.length; ) {
    const end = Math.min(text.length, graphemeEnd(text, start + CHUNK));
    const chunk = text.slice(start, end);
    if (isNarrow(chunk))
      for (let at = 0; at < chunk.length; at++) yield { text: chunk.charAt(at), index: start + at };
    else
      for (const { segment, index } of segmenter.segment(chunk))
        yield { text: segment, index: start + index };
    start = end;
  }
}

/** The end index of the grapheme that contains an index. */
export function graphemeEnd(text: string, index: number): number {
  const at = graphemeAt(text, index);
  return at && at.start < index ? at.end : index;
}

export function graphemeAt(
  text: string,
  index: number,
): { start: number; end: number } | undefined {
  const from = Math.max(0, index - CHUNK);
  const segments = segmenter.segment(text.slice(from, index + CHUNK));
  const grapheme = segments.containing(index - from);
  if (!grapheme) return undefined;
  const start = from + grapheme.index;
  return { start, end: start + grapheme.segment.length };
}

/**
 * ASCII, Latin letters, arrows, box-drawing lines and the other symbols of the
 * TUI.
 */
const NARROW = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u017f•…›●·✓✗↵←-↓▶▸◂\u2500-\u259f]*$/;

/** Whether every code unit is one column wide. Much cheaper than measuring. */
export function isNarrow(text: string): boolean {
  return NARROW.test(text);
}

/** The width of a visible text in columns. */
export function textWidth(text: string): number {
  return isNarrow(text) ? text.length : stringWidth(text);
}

const MAX_CACHED = 10_000;
const widths = new Map<string, number>();

export function graphemeWidth(grapheme: string): number {
  const width = widths.get(grapheme) ?? stringWidth(grapheme);
  if (widths.size < MAX_CACHED) widths.set(grapheme, width);
  return width;
}

/**
 * Makes text from outside safe to show on one line. Also escapes combining
 * marks without a base, so that each grapheme is at least one column wide.
 */
export function visibleText(text: string): string {
  if (isNarrow(text)) return text;
  const escaped = printable(text);
  if (isNarrow(escaped)) return escaped;
  return Array.from(graphemes(escaped), ({ text: grapheme }) =>
    graphemeWidth(grapheme) === 0 ? Array.from(grapheme, escapeCharacter).join("") : grapheme,
  ).join("");
}

/** Shows blanks at the end as `·`. Keeps the length. */
export function withVisibleEnd(value: string): string {
  return value.endsWith(" ")
    ? value.replace(/(?<! ) +$/, (blanks) => "·".repeat(blanks.length))
    : value;
}
