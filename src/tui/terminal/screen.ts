import { anchorColumns } from "./anchor-columns.js";
import type { TuiTerminal } from "./terminal.js";

/** Synchronized output, so that the terminal never shows half a frame. */
const BEGIN = "\x1b[?2026h";
const END = "\x1b[?2026l";
const RESET = "\x1b[0m";
// Sent before the line: after a line that fills the width, the cursor is still on its last character.
const ERASE_LINE = "\x1b[2K";
const ERASE_BELOW = "\x1b[J";

type ScreenOutput = Pick<TuiTerminal, "write" | "isBusy" | "onceDrained">;

/**
 * Shows frames on a terminal and writes only lines that have changed. Nothing flickers, the last line is usable, and on a
 * slow connection outdated frames are skipped.
 */
export class Screen {
  readonly #output: ScreenOutput;
  #shown: readonly string[] = [];
  #waiting: string | undefined;

  constructor(output: ScreenOutput) {
    this.#output = output;
  }

  /** @param frame painted lines */
  show(frame: string): void {
    if (this.#output.isBusy()) {
      if (this.#waiting === undefined) this.#showOnceDrained();
      this.#waiting = frame;
      return;
    }
    const lines = frame.split("\n");
    // A shorter frame can end on the last line of the terminal, with no line below it to erase.
    const isWhole = lines.length < this.#shown.length;
    const before = isWhole ? [] : this.#shown;
    const changes = lines.flatMap((line, row) =>
      line === before[row] ? [] : [at(row) + ERASE_LINE + anchorColumns(line) + RESET],
    );
    if (isWhole) changes.unshift(at(0) + ERASE_BELOW);
    this.#shown = lines;
    if (changes.length > 0) this.#output.write(BEGIN + changes.join("") + END);
  }

  /** Writes the whole frame again, after something else was on the screen or its size has changed. */
  redraw(): void {
    const frame = this.#waiting ?? this.#shown.join("\n");
    this.#shown = [];
    this.#output.write(`${at(0)}${RESET}${ERASE_BELOW}`);
    this.show(frame);
  }

  #showOnceDrained(): void {
    this.#output.onceDrained(() => {
      const frame = this.#waiting;
      this.#waiting = undefined;
      if (frame !== undefined) this.show(frame);
    });
  }
}

function at(row: number): string {
  return `\x1b[${row + 1};1H`;
}
