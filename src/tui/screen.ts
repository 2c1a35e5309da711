import { anchorColumns } from "./anchor-columns.js";
import type { TuiTerminal } from "./terminal.js";

/** Everything that a terminal is told, in one piece, so that it never shows half a frame. */
const BEGIN = "\x1b[?2026h";
const END = "\x1b[?2026l";
const RESET = "\x1b[0m";
// Erased before it is written: behind a line that fills the width, the cursor is still on its last character.
const ERASE_LINE = "\x1b[2K";
const ERASE_BELOW = "\x1b[J";

type Output = Pick<TuiTerminal, "write" | "isBusy" | "onDrain">;

/**
 * Shows whole frames on a terminal and writes only the lines that have changed: nothing flickers, the last line can be
 * used, and over a slow line a frame that is not the newest is left out.
 */
export class Screen {
  readonly #output: Output;
  #shown: readonly string[] = [];
  #waiting: string | undefined;

  constructor(output: Output) {
    this.#output = output;
  }

  /** @param frame lines with their colours */
  show(frame: string): void {
    if (this.#output.isBusy()) {
      if (this.#waiting === undefined) this.#showOnceDrained();
      this.#waiting = frame;
      return;
    }
    const lines = frame.split("\n");
    // Below a frame that is lower there may be no line any more: a terminal takes its last one for that.
    const isWhole = lines.length < this.#shown.length;
    const before = isWhole ? [] : this.#shown;
    const changes = lines.flatMap((line, row) =>
      line === before[row] ? [] : [at(row) + ERASE_LINE + anchorColumns(line) + RESET],
    );
    if (isWhole) changes.unshift(at(0) + ERASE_BELOW);
    this.#shown = lines;
    if (changes.length > 0) this.#output.write(BEGIN + changes.join("") + END);
  }

  /** Writes the whole frame again, after something else was on the terminal or its size has changed. */
  redraw(): void {
    const frame = this.#waiting ?? this.#shown.join("\n");
    this.#shown = [];
    this.#output.write(`${at(0)}${RESET}${ERASE_BELOW}`);
    this.show(frame);
  }

  #showOnceDrained(): void {
    const stop = this.#output.onDrain(() => {
      stop();
      const frame = this.#waiting;
      this.#waiting = undefined;
      if (frame !== undefined) this.show(frame);
    });
  }
}

function at(row: number): string {
  return `\x1b[${row + 1};1H`;
}
