import { styledWidth } from "./styled-width.js";

interface Piece {
  readonly x: number;
  readonly text: string;
}

type Transformer = (line: string, index: number) => string;

/**
 * In the place of ink's own class in the bundle. That one takes every line of every frame apart into characters: 60 ms
 * at 200x60. Here nothing is laid over anything else or clipped, so lines are put together from the pieces that come.
 */
export default class Output {
  readonly #rows: Piece[][];

  constructor({ height }: { readonly width: number; readonly height: number }) {
    this.#rows = Array.from({ length: height }, () => []);
  }

  write(x: number, y: number, text: string, { transformers }: { readonly transformers: readonly Transformer[] }): void {
    for (const [index, line] of text.split("\n").entries()) {
      const styled = transformers.reduce((before, transform) => transform(before, index), line);
      this.#rows[y + index]?.push({ x, text: styled });
    }
  }

  clip(): never {
    throw new Error("nothing is clipped here: cut lines to the width that there is");
  }

  unclip(): void {}

  get(): { output: string; height: number } {
    return { output: this.#rows.map(joined).join("\n"), height: this.#rows.length };
  }
}

/** The pieces of a row where they belong, with spaces between. */
function joined(pieces: readonly Piece[]): string {
  let line = "";
  let width = 0;
  for (const { x, text } of pieces.toSorted((a, b) => a.x - b.x)) {
    line += " ".repeat(Math.max(0, x - width)) + text;
    width = Math.max(x, width) + styledWidth(text);
  }
  return line.trimEnd();
}
