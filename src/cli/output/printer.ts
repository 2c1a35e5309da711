import { printable } from "../../domain/printable.js";
import type { Context } from "./context.js";
import { type Colors, colorsFor, writeJsonLine, writeLines, writeRaw, writeRows } from "./output.js";

/** What a command prints, in each of its forms. */
interface Printout {
  /** For `--json`. */
  json: unknown;
  /** For programs: a line of tab-separated fields each. */
  rows: readonly (readonly string[])[];
  /** For a terminal, in place of the rows. */
  lines?: (colors: Colors) => readonly StyledLine[] | Promise<readonly StyledLine[]>;
}

export interface StyledLine {
  text: string;
  /** Applied once the text has been escaped. */
  style?: (text: string) => string;
}

/** Prints JSON with `--json`, lines on a terminal, and rows otherwise. */
export async function print({ io, flags }: Context, { json, rows, lines }: Printout): Promise<void> {
  const { stdout, env } = io;
  if (flags.json) return writeJsonLine(stdout, json);
  if (!stdout.isTTY || !lines) return writeRows(stdout, rows);
  const shown = await lines(await colorsFor(stdout, env, flags.color));
  const texts = shown.map(({ text }) => text);
  writeLines(stdout, texts, (line, index) => shown[index]?.style?.(line) ?? line);
}

interface Table {
  json: unknown;
  headings: readonly string[];
  /** A cell is undefined if it has no value. */
  rows: readonly (readonly (string | undefined)[])[];
  /** Shown for an undefined cell on a terminal. */
  absent?: string;
  /** Noted on a terminal if there are no rows. */
  empty?: string;
}

/** On a terminal: columns under bold headings, without borders. Otherwise there are no headings. */
export async function printTable(context: Context, { json, headings, rows, absent = "", empty }: Table): Promise<void> {
  const filled = (text: string) => rows.map((cells) => cells.map((cell) => cell ?? text));
  const lines = async ({ bold }: Colors): Promise<readonly StyledLine[]> => {
    if (rows.length > 0 || empty === undefined) return alignColumns(headings, filled(absent), bold);
    context.note(empty);
    return [];
  };
  await print(context, { json, rows: filled(""), lines });
}

async function alignColumns(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  bold: (text: string) => string,
): Promise<StyledLine[]> {
  // Loaded here: only a terminal needs to know how wide a character is.
  const { default: stringWidth } = await import("string-width");
  // Escaped before it is measured, because escapes are wider than what they stand for.
  const table = [headings, ...rows].map((cells) => cells.map((cell) => printable(cell)));
  const widths = headings.map((_heading, column) =>
    table.reduce((widest, cells) => Math.max(widest, stringWidth(cells[column] ?? "")), 0),
  );
  const pad = (cell: string, column: number) => cell + " ".repeat((widths[column] ?? 0) - stringWidth(cell));
  const [head = "", ...body] = table.map((cells) => cells.map(pad).join("  ").trimEnd());
  return [{ text: head, style: bold }, ...body.map((text) => ({ text }))];
}

/** Prints one record: a line for each field, in two columns on a terminal. */
export function printFields(
  context: Context,
  { json, fields }: { json: unknown; fields: readonly (readonly [label: string, text: string])[] },
): Promise<void> {
  const lines = () => fields.map(([label, text]) => ({ text: `${label.padEnd(13)}${text}` }));
  return print(context, { json, rows: fields, lines });
}

/** Prints lines that are the same on a terminal and for a program, or JSON. */
export function printLines({ io, flags }: Context, { json, lines }: { json: unknown; lines: string[] }): void {
  if (flags.json) writeJsonLine(io.stdout, json);
  else writeLines(io.stdout, lines);
}

/** Prints text unescaped: a value that was asked for, or a document for another program. */
export function printRaw({ io, flags }: Context, { text, json }: { text: string; json?: unknown }): void {
  if (flags.json && json !== undefined) writeJsonLine(io.stdout, json);
  else writeRaw(io.stdout, text);
}
