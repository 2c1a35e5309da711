import { fitText } from "./fit-line.js";
import { visibleText } from "./visible-text.js";

/** Code units that a column may take: a family of emoji has eleven on two columns. */
const MOST_UNITS = 12;

/** Any text, however long and whatever is in it, in exactly `width` columns. */
export function cellText(text: string, width: number): string {
  return fitText(visibleText(text.slice(0, Math.max(0, width + 1) * MOST_UNITS)), width);
}
