import { printable } from "../../kit/text/printable.js";
import type { Io } from "../../tasks/surroundings.js";
import {
  type Colors,
  colorsFor,
  writeJsonLine,
  writeLines,
  writeRaw,
  writeRows,
} from "./output.js";

export interface OutputFlags {
  json?: boolean | undefined;
  quiet?: boolean | undefined;
  verbose?: boolean | undefined;
  /** False with `--no-color`. */
  color: boolean;
  /**
   * Whether a command that changes data prints the changes in place of making them, and whether
   * with values.
   */
  dryRun?: boolean | undefined;
  values?: boolean | undefined;
}

/** These flags as words, which may stand before the command. */
export const OUTPUT_WORDS = ["--json", "--quiet", "-q", "--verbose", "--no-color"];

/**
 * The surroundings of a command, besides its own options. Its results go through the functions
 * below.
 */
export interface Context {
  io: Io;
  flags: OutputFlags;
  /** Writes a message for people to stderr; not with `--quiet` or `--json`. */
  note(text: string): void;
  /**
   * Writes a warning to stderr, also with `--quiet`; with `--json` as a line `{"warning":
   * {"message"}}`.
   */
  warn(text: string): void;
  /** Confirms on a terminal that something was done; a script has the exit code. */
  tell(text: string): void;
  /** The exit code if the command does not fail. Default 0. */
  exitCode: number;
}

/** Before the first line about long work, and between two. */
const PROGRESS_EVERY_MS = 1_000;

export function createContext(surroundings: Io, flags: OutputFlags): Context {
  const noticed = new Set<string>();
  let nextProgress: number | undefined;
  const io = withNotice(surroundings, (text) => {
    // Settings are read more than once.
    if (!noticed.has(text)) note(text);
    noticed.add(text);
  });
  io.progress = (text) => {
    nextProgress ??= io.ticks() + PROGRESS_EVERY_MS;
    if (io.ticks() < nextProgress) return;
    nextProgress = io.ticks() + PROGRESS_EVERY_MS;
    tell(text);
  };
  const note = (text: string) => {
    if (!context.flags.quiet && !context.flags.json) writeLines(io.stderr, [`appvars: ${text}`]);
  };
  const warn = (text: string) => {
    if (context.flags.json) writeJsonLine(io.stderr, { warning: { message: text } });
    else writeLines(io.stderr, [`appvars: ${text}`]);
  };
  const tell = (text: string) => {
    if (io.stderr.isTTY) note(text);
  };
  const context: Context = { io, flags, note, warn, tell, exitCode: 0 };
  return context;
}

/**
 * The same object with another `notice`. By prototype, since a copy would create stdin, which takes
 * Node 2 ms.
 */
export function withNotice<T extends Pick<Io, "notice">>(io: T, notice: (text: string) => void): T {
  return Object.create(io, { notice: { value: notice } });
}

/** The output of a command, in each of its forms. */
interface Printout {
  /** For `--json`. */
  json: unknown;
  /** For programs: a line of tab-separated fields each. */
  rows: readonly (readonly (string | undefined)[])[];
  /** For a terminal, in place of the rows. */
  lines?: (colors: Colors) => readonly StyledLine[] | Promise<readonly StyledLine[]>;
}

interface StyledLine {
  text: string;
  /** Applied once the text has been escaped. */
  style?: (text: string) => string;
}

/** Prints JSON with `--json`, lines on a terminal, and rows otherwise. */
export async function print(
  { io, flags }: Context,
  { json, rows, lines }: Printout,
): Promise<void> {
  const { stdout, env } = io;
  if (flags.json) return writeJsonLine(stdout, json);
  if (!stdout.isTTY || !lines) return writeRows(stdout, rows);
  const shown = await lines(await colorsFor(stdout, env, flags.color));
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

/** On a terminal: columns under bold headings, without borders. Otherwise there are no headings. */
export async function printTable(
  context: Context,
  { json, headings, rows, absent = "", empty }: PrintedTable,
): Promise<void> {
  const lines = async ({ bold }: Colors): Promise<readonly StyledLine[]> => {
    const filled = rows.map((cells) => cells.map((cell = absent) => cell));
    if (rows.length > 0 || empty === undefined) return alignColumns(headings, filled, bold);
    context.note(empty);
    return [];
  };
  await print(context, { json, rows, lines });
}

async function alignColumns(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  bold: (text: string) => string,
): Promise<StyledLine[]> {
  // Loaded here: only a terminal needs to know how wide a character is.
  const { default: stringWidth } = await import("string-width");
  // Escaped before it is measured, because escapes are wider than their characters.
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
  context: Context,
  { json, fields }: { json: unknown; fields: readonly (readonly [label: string, text: string])[] },
): Promise<void> {
  const lines = () => fields.map(([label, text]) => ({ text: `${label.padEnd(13)}${text}` }));
  return print(context, { json, rows: fields, lines });
}

/** Prints lines that are the same on a terminal and for a program, or JSON. */
export function printLines(
  { io, flags }: Context,
  { json, lines }: { json: unknown; lines: string[] },
): void {
  if (flags.json) writeJsonLine(io.stdout, json);
  else writeLines(io.stdout, lines);
}

/** Prints text unescaped: a value that was asked for, or a document for another program. */
export function printRaw(
  { io, flags }: Context,
  { text, json }: { text: string; json?: unknown },
): void {
  if (flags.json && json !== undefined) writeJsonLine(io.stdout, json);
  else writeRaw(io.stdout, text);
}
