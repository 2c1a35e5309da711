import stringWidth from "string-width";

const ASCII = /^[\x20-\x7e]*$/;
/** Latin letters, and what lines, marks and masks are drawn with: one column each, and nothing that combines. */
const NARROW =
  /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2022\u2026\u203a\u2190-\u2193\u21b5\u2500-\u259f\u25b6\u25b8\u25c2\u25cf\u2713\u2717]*$/;
const MOST_CACHED = 10_000;

const widths = new Map<string, number>();

/** Whether each code unit of it is one character that is one column wide. */
export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/** Whether each code unit of it is one column wide. */
export function isNarrow(text: string): boolean {
  return NARROW.test(text);
}

/** Columns that a visible text takes. */
export function textWidth(text: string): number {
  return isNarrow(text) ? text.length : stringWidth(text);
}

/** Columns that one grapheme takes. */
export function graphemeWidth(grapheme: string): number {
  if (isAscii(grapheme)) return grapheme.length;
  const cached = widths.get(grapheme);
  if (cached !== undefined) return cached;
  const width = stringWidth(grapheme);
  if (widths.size < MOST_CACHED) widths.set(grapheme, width);
  return width;
}
