import type { Writable } from "node:stream";
import type { ColorSupportLevel } from "chalk";
import { escapeUnits, printable } from "../../kit/text/printable.js";
import type { Surroundings } from "../../tasks/surroundings.js";

/** Rows per batch. Formatting all at once would use too much memory. */
const BATCH_ROWS = 2_000;

// Everything written to stdout or stderr goes through these functions; `npm run
// lint` reports exceptions. All but `writeRaw` escape characters that could
// control a terminal or forge a line.

/** An output stream; on a terminal it has `isTTY` and knows its colors. */
export interface Output extends Writable {
  isTTY?: boolean;
  /** Its file descriptor, if it is the process's own. */
  fd?: number;
  getColorDepth?: (env?: object) => number;
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

const plain = (text: string) => text;
const NO_COLORS = { bold: plain, dim: plain, green: plain, red: plain, yellow: plain };

export type Colors = typeof NO_COLORS;

/** The styles that a stream supports. chalk is loaded only if there are any. */
export async function colorsFor(
  stream: Output,
  env: Surroundings["env"],
  allowed: boolean,
): Promise<Colors> {
  const level = colorLevel(stream, env, allowed);
  if (level === 0) return NO_COLORS;
  const { Chalk } = await import("chalk");
  return new Chalk({ level });
}

/**
 * The levels that FORCE_COLOR names, as in Node. Any other text is for the
 * basic colors.
 */
const FORCED_LEVELS: Record<string, ColorSupportLevel> = { "0": 0, false: 0, "2": 2, "3": 3 };

/**
 * The colors that a stream supports: by `--no-color`, or else FORCE_COLOR,
 * NO_COLOR and the terminal.
 */
export function colorLevel(
  stream: Output,
  env: Surroundings["env"],
  allowed: boolean,
): ColorSupportLevel {
  if (!allowed) return 0;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return FORCED_LEVELS[forced] ?? 1;
  if (env["NO_COLOR"] || !stream.isTTY) return 0;
  const depth = stream.getColorDepth?.(env) ?? 1;
  if (depth >= 24) return 3;
  if (depth >= 8) return 2;
  return depth >= 4 ? 1 : 0;
}
