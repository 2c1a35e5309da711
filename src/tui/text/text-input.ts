import { graphemes, textWidth, visibleText } from "./graphemes.js";
import type { Line, Piece } from "./line.js";

/** Code units around the cursor that are drawn: more than any field is wide. */
const REACH = 4_000;

/** A text field in exactly `width` columns, scrolled to its cursor, the inverse grapheme. `↵` is a newline. */
export function textInput({ text, cursor }: { text: string; cursor: number }, width: number): Line {
  const before = cells(text.slice(Math.max(0, cursor - REACH), cursor));
  const [under = { text: " ", width: 1 }, ...after] = cells(text.slice(cursor, cursor + REACH));
  const shown = fitting(before.reverse(), width - under.width).reverse();
  const left = width - under.width - widthOf(shown);
  const rest = fitting(after, left);
  return [
    { text: textOf(shown) },
    { text: under.text, isInverse: true },
    { text: textOf(rest) + " ".repeat(Math.max(0, left - widthOf(rest))) },
  ];
}

/** A text field without the focus. */
export function inputText(text: string): string {
  return textOf(cells(text.slice(0, REACH)));
}

function cells(text: string): Piece[] {
  return Array.from(graphemes(text), ({ text: grapheme }) => {
    const visible = grapheme === "\n" || grapheme === "\r\n" ? "↵" : visibleText(grapheme);
    return { text: visible, width: textWidth(visible) };
  });
}

/** The first cells, as many as fit. */
function fitting(all: readonly Piece[], width: number): Piece[] {
  let used = 0;
  const end = all.findIndex((cell) => {
    used += cell.width;
    return used > width;
  });
  return all.slice(0, end < 0 ? all.length : end);
}

function widthOf(all: readonly Piece[]): number {
  return all.reduce((sum, cell) => sum + cell.width, 0);
}

function textOf(all: readonly Piece[]): string {
  return all.map((cell) => cell.text).join("");
}
