import { stripVTControlCharacters } from "node:util";
import { textWidth } from "../text/text-width.js";

/** Columns of a line with its colours. */
export function styledWidth(line: string): number {
  return textWidth(stripVTControlCharacters(line));
}
