import { printable } from "../../domain/printable.js";
import { escapeField, escapeJson } from "./escape.js";
import type { Output } from "./io.js";

// Everything written to stdout or stderr goes through these functions; `npm run lint` reports what does not. All but
// `writeRaw` escape characters that could control a terminal or forge a line.

/** Bytes of notes that may wait for their reader. */
const MAX_UNREAD_BYTES = 256 * 1_024;

/**
 * Writes notes, without blocking the program or filling its memory if nobody reads them: while more than 256 KiB wait for
 * the reader, lines are dropped. Once everything has been read, their number is told.
 *
 * @param stream called for each line
 * @param write writes one line to the stream
 */
export function dropUnread(stream: () => Output, write: (line: string) => void): (line: string) => void {
  let dropped = 0;
  return (line) => {
    const output = stream();
    if (dropped === 0 && output.writableLength <= MAX_UNREAD_BYTES) return write(line);
    if (dropped++ > 0) return;
    output.once("drain", () => {
      const count = dropped;
      dropped = 0;
      write(`lines dropped: ${count}; this log was not read in time`);
    });
  };
}

/** Writes lines, with line breaks inside a line escaped. `style` is applied to the escaped line. */
export function writeLines(
  stream: Output,
  lines: readonly string[],
  style: (line: string, index: number) => string = (line) => line,
): void {
  stream.write(lines.map((line, index) => `${style(printable(line), index)}\n`).join(""));
}

export function writeRows(stream: Output, rows: readonly (readonly string[])[]): void {
  stream.write(rows.map((fields) => `${fields.map(escapeField).join("\t")}\n`).join(""));
}

export function writeJsonLine(stream: Output, value: unknown): void {
  stream.write(`${escapeJson(JSON.stringify(value))}\n`);
}

export function writeStatus(stream: Output, text: string): void {
  stream.write(`\r\u001b[K${printable(text)}`);
}

/** Writes text unchanged: a value that was asked for, or a document for another program. */
export function writeRaw(stream: Output, text: string, onWritten?: () => void): void {
  stream.write(text, onWritten);
}
