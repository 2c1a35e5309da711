import stringWidth from "string-width";
import { escapeCharacter, printable } from "../../kit/text/printable.js";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * Code units per call of Intl.Segmenter, whose time grows with the square of the length in Node 20;
 * and those around an index that are segmented, far more than any grapheme has.
 */
const CHUNK = 1_000;

/**
 * The graphemes of a text of any length, with their indexes in it; one as long as a chunk is split.
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

/** The end of the grapheme that an index is in. */
export function graphemeEnd(text: string, index: number): number {
  const at = graphemeAt(text, index);
  return at && at.start < index ? at.end : index;
}

/** The grapheme that an index is in. */
export function graphemeAt(
  text: string,
  index: number,
): { start: number; end: number } | undefined {
  const from = Math.max(0, index - CHUNK);
  const found = segmenter.segment(text.slice(from, index + CHUNK)).containing(index - from);
  return found && { start: from + found.index, end: from + found.index + found.segment.length };
}

/** ASCII, Latin letters, arrows, lines and the other symbols of this TUI. */
const NARROW = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u017f•…›●·✓✗↵←-↓▶▸◂\u2500-\u259f]*$/;

/**
 * Whether each code unit is a character of one column: a fast path, much cheaper than measuring.
 */
export function isNarrow(text: string): boolean {
  return NARROW.test(text);
}

/** Columns of a visible text. */
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
 * Text from outside, safe to show on one line: {@link printable}, with combining marks that have no
 * base escaped as well. Each grapheme of the result is at least one column wide.
 */
export function visibleText(text: string): string {
  if (isNarrow(text)) return text;
  const escaped = printable(text);
  if (isNarrow(escaped)) return escaped;
  return Array.from(graphemes(escaped), ({ text: grapheme }) =>
    graphemeWidth(grapheme) === 0 ? Array.from(grapheme, escapeCharacter).join("") : grapheme,
  ).join("");
}

/**
 * A value, with `·` for each blank at its end, which nothing else would show. Of the same length.
 */
export function withVisibleEnd(value: string): string {
  return value.endsWith(" ")
    ? value.replace(/(?<! ) +$/, (blanks) => "·".repeat(blanks.length))
    : value;
}
