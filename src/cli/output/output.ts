import type { Writable } from "node:stream";
import { escapeUnits, printable } from "../../kit/text/printable.js";
import type { Caller, Surroundings } from "../../tasks/surroundings.js";
import { type ColorStream, type Colors, colorsFor } from "./colors.js";

/** Rows per batch. Formatting all at once would use too much memory. */
const BATCH_ROWS = 2_000;

// Everything written to stdout or stderr goes through these functions; `npm run
// lint` reports exceptions. All but `writeRaw` escape characters that could
// control a terminal or forge a line.

/** An output stream; on a terminal it has `isTTY` and knows its colors. */
export interface Output extends Writable, ColorStream {
  /** Its file descriptor, if it is the process's own. */
  fd?: number;
}

export interface OutputFlags {
  json?: boolean | undefined;
  quiet?: boolean | undefined;
  verbose?: boolean | undefined;
  /** False with `--no-color`. */
  color: boolean;
}

/** The part of a command's `Context` that prints. */
export interface Printer extends Pick<Caller, "note"> {
  readonly io: { readonly surroundings: Surroundings; readonly stdout: Output };
  readonly flags: OutputFlags;
}

/**
 * Writes lines, with line breaks inside a line escaped. `style` is applied to
 * the escaped line.
 */
export function writeLines(
  stream: Output,
  lines: readonly string[],
  style: (line: string, index: number) => string = (line) => line,
): void {
  stream.write(lines.map((line, index) => `${style(printable(line), index)}\n`).join(""));
}

/** Writes lines of tab-separated fields; an undefined one is empty. */
export function writeRows(
  stream: Output,
  rows: readonly (readonly (string | undefined)[])[],
): void {
  for (let start = 0; start < rows.length; start += BATCH_ROWS) {
    const batch = rows.slice(start, start + BATCH_ROWS);
    stream.write(
      batch
        .map((fields) => `${fields.map((field = "") => escapeField(field)).join("\t")}\n`)
        .join(""),
    );
  }
}

export function writeJsonLine(stream: Output, value: unknown): void {
  stream.write(`${escapeJson(JSON.stringify(value))}\n`);
}

/** Writes a value or a document for another program unchanged. */
export function writeRaw(stream: Output, text: string, onWritten?: () => void): void {
  stream.write(text, onWritten);
}

/**
 * A field of a tab-separated line: printable, with backslashes doubled so that
 * escapes can be read back.
 */
export function escapeField(text: string): string {
  return printable(text.replaceAll("\\", "\\\\"));
}

/** Returns JSON whose unprintable characters are `\uXXXX`. */
export function escapeJson(json: string): string {
  return printable(json, escapeUnits);
}

interface Printout {
  json: unknown;
  /** The output for programs: each row is a line of tab-separated fields. */
  rows: readonly (readonly (string | undefined)[])[];
  /** The output for a terminal. Default: the rows. */
  lines?: (colors: Colors) => readonly StyledLine[] | Promise<readonly StyledLine[]>;
}

interface StyledLine {
  text: string;
  /** Applied once the text has been escaped. */
  style?: (text: string) => string;
}

/** Prints JSON with `--json`, lines on a terminal, and rows otherwise. */
export async function print(
  { io, flags }: Printer,
  { json, rows, lines }: Printout,
): Promise<void> {
  const { stdout } = io;
  if (flags.json) return writeJsonLine(stdout, json);
  if (!stdout.isTTY || !lines) return writeRows(stdout, rows);
  const shown = await lines(await colorsFor(stdout, io.surroundings.env, flags.color));
  const texts = shown.map(({ text }) => text);
  writeLines(stdout, texts, (line, index) => shown[index]?.style?.(line) ?? line);
}

interface PrintedTable {
  json: unknown;
  headings: readonly string[];
  /** A cell is undefined if it has no value. */
  rows: readonly (readonly (string | undefined)[])[];
  /** Shown for an undefined cell on a terminal. */
  absent?: string;
  /** Noted on a terminal if there are no rows. */
  empty?: string;
}

/** Prints columns: on a terminal aligned, under bold headings. */
export async function printTable(
  printer: Printer,
  { json, headings, rows, absent = "", empty }: PrintedTable,
): Promise<void> {
  const lines = async ({ bold }: Colors): Promise<readonly StyledLine[]> => {
    const filled = rows.map((cells) => cells.map((cell = absent) => cell));
    if (rows.length > 0 || empty === undefined) return alignColumns(headings, filled, bold);
    printer.note(empty);
    return [];
  };
  await print(printer, { json, rows, lines });
}

async function alignColumns(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  bold: (text: string) => string,
): Promise<StyledLine[]> {
  // Loaded here: only a terminal needs to know how wide a character is.
  const { default: stringWidth } = await import("string-width");
  // Escaped before it is measured, because escapes are wider than their
  // characters.
  const table = [headings, ...rows].map((cells) => cells.map((cell) => printable(cell)));
  const widths = headings.map((_heading, column) =>
    table.reduce((widest, cells) => Math.max(widest, stringWidth(cells[column] ?? "")), 0),
  );
  const pad = (cell: string, column: number) =>
    cell + " ".repeat((widths[column] ?? 0) - stringWidth(cell));
  const [head = "", ...body] = table.map((cells) => cells.map(pad).join("  ").trimEnd());
  return [{ text: head, style: bold }, ...body.map((text) => ({ text }))];
}

/** Prints one record: a line for each field, in two columns on a terminal. */
export function printFields(
  printer: Printer,
  { json, fields }: { json: unknown; fields: readonly (readonly [label: string, text: string])[] },
): Promise<void> {
  const lines = () => fields.map(([label, text]) => ({ text: `${label.padEnd(13)}${text}` }));
  return print(printer, { json, rows: fields, lines });
}

/** Prints the same lines on a terminal and for a program, or JSON. */
export function printLines(
  { io, flags }: Printer,
  { json, lines = [] }: { json: unknown; lines?: string[] },
): void {
  if (flags.json) writeJsonLine(io.stdout, json);
  else writeLines(io.stdout, lines);
}

export function printRaw(
  { io, flags }: Printer,
  { text, json }: { text: string; json?: unknown },
): void {
  if (flags.json && json !== undefined) writeJsonLine(io.stdout, json);
  else writeRaw(io.stdout, text);
}
