import { countText } from "../text/count-text.js";
import type { Line } from "../text/line.js";

/** The lines of a text that are seen, a space before each. */
export function scrolledLines(lines: readonly Line[], top: number, page: number): Line[] {
  return lines.slice(top, top + page).map((line) => [{ text: " " }, ...line]);
}

/** How far it is scrolled, `12-30/88`; undefined where all of it is seen. */
export function scrolledText(count: number, top: number, page: number): string | undefined {
  if (count <= page && top === 0) return undefined;
  return `${countText(top + 1)}-${countText(Math.min(count, top + page))}/${countText(count)}`;
}
