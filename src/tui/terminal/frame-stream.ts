import { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { graphemes, textWidth } from "../text/graphemes.js";

/** Synchronized output, so that the terminal never shows half a frame. */
const BEGIN = "\x1b[?2026h";
const END = "\x1b[?2026l";
const RESET = "\x1b[0m";
// Sent before the line: after a line that fills the width, the cursor would
// still be on its last character, and erase it.
const ERASE_LINE = "\x1b[2K";
const ERASE_BELOW = "\x1b[J";

type ScreenOutput = Pick<TuiTerminal, "output" | "write" | "size">;

/**
 * Receives ink's frames, one per write, and writes only changed lines to the
 * terminal. Nothing flickers, the last line and column are usable, and a slow
 * connection skips outdated frames.
 */
export class FrameStream extends Writable {
  readonly #screen: ScreenOutput;
  #shown: readonly string[] = [];
  #waiting: string | undefined;

  constructor(screen: ScreenOutput) {
    super({ decodeStrings: false });
    this.#screen = screen;
  }

  get columns(): number {
    return this.#screen.size().columns;
  }

  override _write(frame: string, _encoding: string, done: () => void): void {
    const isWaiting = this.#waiting !== undefined;
    this.#waiting = frame;
    const { output } = this.#screen;
    if (!output.writableNeedDrain) this.#show();
    else if (!isWaiting) output.once("drain", () => this.#show());
    done();
  }

  /**
   * Call it after another program has used the screen, or its size has changed.
   */
  clear(): void {
    this.#shown = [];
    this.#screen.write(`${at(0)}${RESET}${ERASE_BELOW}`);
  }

  #show(): void {
    const lines = this.#waiting?.split("\n") ?? this.#shown;
    this.#waiting = undefined;
    const changes = lines.flatMap((line, row) =>
      line === this.#shown[row] ? [] : [at(row) + ERASE_LINE + anchorColumns(line) + RESET],
    );
    this.#shown = lines;
    if (changes.length > 0) this.#screen.write(BEGIN + changes.join("") + END);
  }
}

function at(row: number): string {
  return `\x1b[${row + 1};1H`;
}

/**
 * Joined emoji, emoji presentation, flags and skin tones. Terminals disagree
 * about their width.
 */
const UNSURE = /[\u200d\ufe0f\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}]/u;

/**
 * Moves the cursor to the expected column after each grapheme of uncertain
 * width. Otherwise, borders to the right would be displaced.
 */
export function anchorColumns(line: string): string {
  if (!UNSURE.test(line)) return line;
  let before = "";
  return Array.from(graphemes(line), ({ text }) => {
    before += text;
    return UNSURE.test(text)
      ? `${text}\x1b[${textWidth(stripVTControlCharacters(before)) + 1}G`
      : text;
  }).join("");
}

/** The terminal in the alternate screen, without cursor and line wrapping. */
export interface TuiTerminal {
  /**
   * Raw mode, so that Ctrl-C is a key. Pasted text is bracketed (mode 2004).
   */
  readonly input: NodeJS.ReadStream;
  /** Stdout, for its state and its events. `write` is for the text. */
  readonly output: NodeJS.EventEmitter & { readonly writableNeedDrain: boolean };
  write(text: string): void;
  size(): { readonly columns: number; readonly rows: number };
  /**
   * Calls `listener` when the screen must be redrawn: after `suspend`, or after
   * another program continued the process.
   */
  onCleared(listener: () => void): void;
  /**
   * Returns to the shell (Ctrl-Z). Resolves when the process continues (fg).
   */
  suspend(): Promise<void>;
  /**
   * Resolves when the process receives a signal to stop, or the terminal
   * closes.
   */
  readonly untilStopped: Promise<void>;
}
