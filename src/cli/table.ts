import { escapeControls } from "../domain/escape-controls.js";
import type { Colors } from "./colors.js";

/** Columns for a terminal, as wide as their widest cell, under bold headings and without borders. */
export async function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { bold }: Pick<Colors, "bold">,
): Promise<string> {
  // Loaded here: only a terminal needs to know how wide a character is.
  const { default: stringWidth } = await import("string-width");
  const lines = [headings, ...rows].map((cells) => cells.map(escapeControls));
  const widths = headings.map((_heading, column) =>
    lines.reduce((widest, cells) => Math.max(widest, stringWidth(cells[column] ?? "")), 0),
  );
  const pad = (cell: string, column: number) => cell + " ".repeat((widths[column] ?? 0) - stringWidth(cell));
  const [heading = "", ...body] = lines.map((cells) => cells.map(pad).join("  ").trimEnd());
  return [bold(heading), ...body].map((line) => `${line}\n`).join("");
}
