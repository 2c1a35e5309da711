import type { Readable } from "node:stream";
import type { untilStopped } from "../../kit/process/signals.js";
import { printable } from "../../kit/text/printable.js";
import type { Data } from "../../store/data.js";
import type { ChangeRow } from "../../store/edits/change-rows.js";
import type { DataCaller } from "../../tasks/data/open-data.js";
import type { Surroundings } from "../../tasks/surroundings.js";
import {
  type Colors,
  colorsFor,
  type Output,
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
}

/** Whether changes are printed instead of made, and whether with values. */
interface PreviewFlags {
  dryRun: boolean;
  showValues: boolean;
}

/** The process of a command line. */
export interface Io {
  readonly surroundings: Surroundings;
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly untilStopped: typeof untilStopped;
  readonly leaveUnread: () => void;
}

/**
 * The caller of a command's tasks, and what it prints with:
 *
 * - `note`: to stderr; not with `--quiet` or `--json`
 * - `warn`: to stderr, even with `--quiet`; with `--json` as a line
 *   `{"warning": {"message"}}`
 * - `tell` and `progress`: as `note`, on a terminal only; a script has the exit
 *   code
 */
export interface Context extends DataCaller {
  readonly io: Io;
  readonly flags: OutputFlags;
  /** The exit code if the command does not fail. Default 0. */
  exitCode: number;
}

/** The time before the first line about long work, and between two lines. */
const PROGRESS_EVERY_MS = 1_000;

export function createContext(
  io: Io,
  flags: OutputFlags,
  command?: string,
  { dryRun, showValues }: PreviewFlags = { dryRun: false, showValues: false },
): Context {
  const { surroundings } = io;
  const noted = new Set<string>();
  let nextProgress: number | undefined;
  const note: Context["note"] = (text, repeat) => {
    if (repeat === "once" && noted.has(text)) return;
    if (repeat === "once") noted.add(text);
    if (flags.quiet || flags.json) return;
    writeLines(io.stderr, [`appvars: ${text}`]);
  };
  const tell = (text: string) => {
    if (io.stderr.isTTY) note(text);
  };
  const context: Context = {
    surroundings,
    io,
    command,
    flags,
    exitCode: 0,
    note,
    tell,
    warn(text) {
      if (flags.json) writeJsonLine(io.stderr, { warning: { message: text } });
      else writeLines(io.stderr, [`appvars: ${text}`]);
    },
    progress(text) {
      const now = surroundings.ticks();
      nextProgress ??= now + PROGRESS_EVERY_MS;
      if (now < nextProgress) return;
      nextProgress = now + PROGRESS_EVERY_MS;
      tell(text);
    },
    trace: flags.verbose ? note : undefined,
    preview: dryRun
      ? (before, after) => printPreview(before, after, showValues, context)
      : undefined,
  };
  return context;
}

async function printPreview(
  before: Data,
  after: Data,
  showValues: boolean,
  context: Context,
): Promise<void> {
  const { rowsBetween } = await import("../../store/edits/change-rows.js");
  await printChanges(
    rowsBetween(before, after, showValues),
    showValues,
    context,
    "nothing would change",
  );
}

/** @param empty noted if there are no rows */
export async function printChanges(
  rows: readonly ChangeRow[],
  showValues: boolean,
  context: Context,
  empty: string,
): Promise<void> {
  const { columnsOf } = await import("./change-columns.js");
  const { headings, cells } = columnsOf(rows, showValues);
  await printTable(context, { json: rows, headings, rows: rows.map(cells), empty });
}

/** The output of a command in each form. */
interface Printout {
  /** The output with `--json`. */
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
  { io, flags }: Context,
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
  context: Context,
  { json, fields }: { json: unknown; fields: readonly (readonly [label: string, text: string])[] },
): Promise<void> {
  const lines = () => fields.map(([label, text]) => ({ text: `${label.padEnd(13)}${text}` }));
  return print(context, { json, rows: fields, lines });
}

/** Prints the same lines on a terminal and for a program, or JSON. */
export function printLines(
  { io, flags }: Context,
  { json, lines = [] }: { json: unknown; lines?: string[] },
): void {
  if (flags.json) writeJsonLine(io.stdout, json);
  else writeLines(io.stdout, lines);
}

/** Prints a value or a document for another program, unescaped. */
export function printRaw(
  { io, flags }: Context,
  { text, json }: { text: string; json?: unknown },
): void {
  if (flags.json && json !== undefined) writeJsonLine(io.stdout, json);
  else writeRaw(io.stdout, text);
}
