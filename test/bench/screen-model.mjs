import stringWidth from "string-width";

/**
 * CSI with its parameters and final character; OSC; other escapes; a control character; ASCII text;
 * other text.
 */
const TOKENS =
  /\x1b\[([\x30-\x3f]*)[\x20-\x2f]*([\x40-\x7e])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[\x20-\x2f]*[\x30-\x7e]|([\x00-\x1f\x7f])|([ -~]+)|([^\x00-\x7f]+)/g;
/** A sequence that the chunk breaks off in. */
const UNFINISHED = /\x1b(?:\[[\x20-\x3f]*|\][^\x07\x1b]*\x1b?)?$/;
const graphemes = new Intl.Segmenter();

/**
 * The text on a terminal, as far as full-screen programs that place the cursor need it; no
 * scrolling, no colors.
 */
export class ScreenModel {
  #rows;
  #row = 0;
  #column = 0;
  #rest = "";
  #touched = new Set();

  constructor(columns, rows) {
    this.columns = columns;
    this.#rows = Array.from({ length: rows }, () => []);
  }

  /** Takes output of the program; returns the rows that it wrote to, from 0. */
  feed(chunk) {
    const text = this.#rest + chunk;
    const end = UNFINISHED.exec(text)?.index ?? text.length;
    this.#rest = text.slice(end);
    this.#touched = new Set();
    for (const [, parameters, final, control, ascii, other] of text
      .slice(0, end)
      .matchAll(TOKENS)) {
      if (final) this.#csi(parameters, final);
      else if (control) this.#control(control);
      else if (ascii) for (const character of ascii) this.#put(character, 1);
      else if (other)
        for (const { segment } of graphemes.segment(other))
          this.#put(segment, stringWidth(segment));
    }
    return this.#touched;
  }

  /** All of the screen, a line each. */
  text() {
    return this.#rows.map((row) => Array.from(row, (cell) => cell ?? " ").join("")).join("\n");
  }

  #put(text, width) {
    const row = this.#rows[this.#row];
    row[this.#column] = text;
    if (width === 2) row[this.#column + 1] = "";
    this.#column = Math.min(this.columns, this.#column + width);
    this.#touched.add(this.#row);
  }

  #control(control) {
    if (control === "\r") this.#column = 0;
    else if (control === "\n") this.#moveTo(this.#row + 1, this.#column);
    else if (control === "\b") this.#moveTo(this.#row, this.#column - 1);
  }

  #csi(parameters, final) {
    const [first = 0, second = 0] = parameters.split(";").map(Number);
    const count = first || 1;
    const moves = {
      A: () => this.#moveTo(this.#row - count, this.#column),
      B: () => this.#moveTo(this.#row + count, this.#column),
      C: () => this.#moveTo(this.#row, this.#column + count),
      D: () => this.#moveTo(this.#row, this.#column - count),
      E: () => this.#moveTo(this.#row + count, 0),
      F: () => this.#moveTo(this.#row - count, 0),
      G: () => this.#moveTo(this.#row, count - 1),
      d: () => this.#moveTo(count - 1, this.#column),
      H: () => this.#moveTo(count - 1, (second || 1) - 1),
      f: () => this.#moveTo(count - 1, (second || 1) - 1),
      J: () => this.#eraseRows(first),
      K: () => this.#eraseRow(first),
      h: () => parameters === "?1049" && this.#eraseRows(2),
    };
    moves[final]?.();
  }

  #moveTo(row, column) {
    this.#row = Math.max(0, Math.min(this.#rows.length - 1, row));
    this.#column = Math.max(0, Math.min(this.columns - 1, column));
  }

  #eraseRow(part) {
    const row = this.#rows[this.#row];
    this.#touched.add(this.#row);
    if (part === 0) row.length = Math.min(row.length, this.#column);
    else row.fill(" ", 0, part === 1 ? this.#column + 1 : row.length);
  }

  /** 0 from the cursor on; else all, which makes no difference here. */
  #eraseRows(part) {
    if (part === 0) this.#eraseRow(0);
    for (let index = part === 0 ? this.#row + 1 : 0; index < this.#rows.length; index++) {
      this.#rows[index] = [];
      this.#touched.add(index);
    }
  }
}
