import { graphemes, textWidth, visibleText } from "../text/graphemes.js";
import { cellText, type Line, type Piece } from "../text/line.js";

/** Code units of an input without the focus that are drawn: more than any field is wide. */
const REACH = 4_000;

/** Code units that a column can need: a family of emoji has eleven in two columns. */
const UNITS_PER_COLUMN = 12;

/** A text field in exactly `width` columns, scrolled to its cursor, the inverse grapheme. `↵` is a newline. */
export function textInput({ text, cursor }: { text: string; cursor: number }, width: number): Line {
  const reach = (width + 1) * UNITS_PER_COLUMN;
  const before = cells(text.slice(Math.max(0, cursor - reach), cursor));
  const [under = { text: " ", width: 1 }, ...after] = cells(text.slice(cursor, cursor + reach));
  const shown = fitting(before.reverse(), width - under.width).reverse();
  const left = width - under.width - widthOf(shown);
  const rest = fitting(after, left);
  return [
    { text: textOf(shown) },
    { text: under.text, isInverse: true },
    { text: textOf(rest) + " ".repeat(Math.max(0, left - widthOf(rest))) },
  ];
}

/**
 * A text field of several lines in at most `height` lines, with the cursor in the middle unless an end is near. Only its
 * own line is scrolled to the cursor.
 */
export function textArea({ text, cursor }: { text: string; cursor: number }, width: number, height: number): Line[] {
  const start = startOfLine(text, cursor);
  const above: string[] = [];
  for (let at = start; at > 0 && above.length < height - 1; ) {
    const before = startOfLine(text, at - 1);
    above.unshift(text.slice(before, at - 1));
    at = before;
  }
  const end = endOfLine(text, cursor);
  const below: string[] = [];
  for (let at = end; at < text.length && below.length < height - 1; ) {
    const next = endOfLine(text, at + 1);
    below.push(text.slice(at + 1, next));
    at = next;
  }
  const half = Math.floor((height - 1) / 2);
  const shownBelow = below.slice(0, Math.max(half, height - 1 - above.length));
  const shownAbove = above.slice(Math.max(0, above.length - (height - 1 - shownBelow.length)));
  const lineOf = (each: string): Line => [{ text: cellText(each, width) }];
  const current = textInput({ text: text.slice(start, end), cursor: cursor - start }, width);
  return [...shownAbove.map(lineOf), current, ...shownBelow.map(lineOf)];
}

export function startOfLine(text: string, index: number): number {
  return index === 0 ? 0 : text.lastIndexOf("\n", index - 1) + 1;
}

export function endOfLine(text: string, index: number): number {
  const end = text.indexOf("\n", index);
  return end < 0 ? text.length : end;
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
