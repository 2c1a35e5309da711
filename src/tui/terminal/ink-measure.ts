import { stripVTControlCharacters } from "node:util";
import { textWidth } from "../text/graphemes.js";

/**
 * Replaces ink's own function, which caches every text that it measures,
 * including values, until the program ends.
 */
export default function measureText(text: string): { width: number; height: number } {
  const lines = text === "" ? [] : stripVTControlCharacters(text).split("\n");
  return { width: Math.max(0, ...lines.map(textWidth)), height: lines.length };
}
