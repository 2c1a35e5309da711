import stringWidth from "string-width";

/** ASCII, Latin letters, arrows, lines and the other signs that are drawn here. */
const NARROW = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u017f•…›●·✓✗↵←-↓▶▸◂\u2500-\u259f]*$/;
const MOST_CACHED = 10_000;

const widths = new Map<string, number>();

/** Whether each code unit of it is one character that is one column wide: told much faster than how wide a text is. */
export function isNarrow(text: string): boolean {
  return NARROW.test(text);
}

/** Columns that a visible text takes. */
export function textWidth(text: string): number {
  return isNarrow(text) ? text.length : stringWidth(text);
}

/** Columns that one grapheme takes. */
export function graphemeWidth(grapheme: string): number {
  const cached = widths.get(grapheme);
  if (cached !== undefined) return cached;
  const width = stringWidth(grapheme);
  if (widths.size < MOST_CACHED) widths.set(grapheme, width);
  return width;
}
