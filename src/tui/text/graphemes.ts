import stringWidth from "string-width";
import { escapeCharacter, printable } from "../../domain/printable.js";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Code units per call of Intl.Segmenter, whose time grows with the square of the length in Node 20. */
const CHUNK = 1_000;

/** Latin, kana, Han and Hangul: each code unit is a grapheme, so no segmenter is needed. */
const SIMPLE = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u017f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]*$/;
const HIGH_SURROGATE = /[\ud800-\udbff]$/;

export interface Grapheme {
  readonly text: string;
  /** Index of its first UTF-16 code unit. */
  readonly index: number;
}

export function* graphemes(text: string): Generator<Grapheme> {
  let start = 0;
  while (start < text.length) {
    const chunk = text.slice(start, start + CHUNK).replace(text.length > start + CHUNK ? HIGH_SURROGATE : "", "");
    const found = Array.from(segments(chunk), ({ text: segment, index }) => ({ text: segment, index: start + index }));
    const end = start + chunk.length;
    // The last one may continue in the next chunk; one as long as a chunk is split in two.
    const last = end < text.length && found.length > 1 ? found.pop() : undefined;
    yield* found;
    start = last?.index ?? end;
  }
}

function* segments(chunk: string): Generator<Grapheme> {
  if (SIMPLE.test(chunk)) for (let index = 0; index < chunk.length; index++) yield { text: chunk.charAt(index), index };
  else for (const { segment, index } of segmenter.segment(chunk)) yield { text: segment, index };
}

/** The end of the grapheme that an index is in. */
export function graphemeEnd(text: string, index: number): number {
  const at = graphemeAt(text, index);
  return at && at.start < index ? at.end : index;
}

/** Code units around an index that are segmented: far more than any grapheme has. */
const REACH = 1_000;

/** The grapheme that an index is in. Segmenting all of a long text takes too long for a key. */
export function graphemeAt(text: string, index: number): { start: number; end: number } | undefined {
  const from = Math.max(0, index - REACH);
  const found = segmenter.segment(text.slice(from, index + REACH)).containing(index - from);
  return found && { start: from + found.index, end: from + found.index + found.segment.length };
}

/** ASCII, Latin letters, arrows, lines and the other symbols of this TUI. */
const NARROW = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u017f•…›●·✓✗↵←-↓▶▸◂\u2500-\u259f]*$/;

/** Whether each code unit is a character of one column: a fast path, much cheaper than measuring. */
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
  const cached = widths.get(grapheme);
  if (cached !== undefined) return cached;
  const width = stringWidth(grapheme);
  if (widths.size < MAX_CACHED) widths.set(grapheme, width);
  return width;
}

/**
 * Text from outside, safe to show on one line: {@link printable}, with combining marks that have no base escaped as
 * well. Each grapheme of the result is at least one column wide.
 */
export function visibleText(text: string): string {
  if (isNarrow(text)) return text;
  const escaped = printable(text);
  if (isNarrow(escaped)) return escaped;
  return Array.from(graphemes(escaped), ({ text: grapheme }) =>
    graphemeWidth(grapheme) === 0 ? Array.from(grapheme, escapeCharacter).join("") : grapheme,
  ).join("");
}

/** A value, with `·` for each blank at its end, which nothing else would show. Of the same length. */
export function withVisibleEnd(value: string): string {
  return value.endsWith(" ") ? value.replace(/(?<! ) +$/, (blanks) => "·".repeat(blanks.length)) : value;
}
