import stringWidth from "string-width";
import { escapeCharacter, printable } from "../../kit/text/printable.js";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * The number of code units per call of `Intl.Segmenter`, whose time grows with the square of the
 * length in Node 20. Also the number of code units segmented around an index, far more than any
 * grapheme has.
 */
const CHUNK = 1_000;

/**
 * Yields the graphemes of a text of any length, with their indexes. Splits a grapheme that is
 * longer than a chunk.
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

/** The grapheme that contains an index. */
export function graphemeAt(
  text: string,
  index: number,
): { start: number; end: number } | undefined {
  const from = Math.max(0, index - CHUNK);
  const found = segmenter.segment(text.slice(from, index + CHUNK)).containing(index - from);
  return found && { start: from + found.index, end: from + found.index + found.segment.length };
}

/** ASCII, Latin letters, arrows, box-drawing lines and the other symbols of the TUI. */
const NARROW = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u017f•…›●·✓✗↵←-↓▶▸◂\u2500-\u259f]*$/;

/**
 * Whether every code unit is a character of one column. This check is much cheaper than measuring.
 */
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
 * Makes text from outside safe to show on one line. Like {@link printable}, but also escapes
 * combining marks without a base, so that each grapheme of the result is at least one column wide.
 */
export function visibleText(text: string): string {
  if (isNarrow(text)) return text;
  const escaped = printable(text);
  if (isNarrow(escaped)) return escaped;
  return Array.from(graphemes(escaped), ({ text: grapheme }) =>
    graphemeWidth(grapheme) === 0 ? Array.from(grapheme, escapeCharacter).join("") : grapheme,
  ).join("");
}

/** Replaces each blank at the end of a value by `·`, so that it is visible. Keeps the length. */
export function withVisibleEnd(value: string): string {
  return value.endsWith(" ")
    ? value.replace(/(?<! ) +$/, (blanks) => "·".repeat(blanks.length))
    : value;
}
