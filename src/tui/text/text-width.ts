import stringWidth from "string-width";

const ASCII = /^[\x20-\x7e]*$/;
const MOST_CACHED = 10_000;

const widths = new Map<string, number>();

/** Whether each code unit of it is one character that is one column wide. */
export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/** Columns that a visible text takes. */
export function textWidth(text: string): number {
  return isAscii(text) ? text.length : stringWidth(text);
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
