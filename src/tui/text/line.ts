import { graphemes, graphemeWidth, textWidth, visibleText } from "./graphemes.js";
import type { Role } from "./theme.js";

export interface Span {
  readonly text: string;
  /** Default: `text`. */
  readonly role?: Role;
  readonly isBold?: boolean;
  readonly isInverse?: boolean;
  /** The name of the key that a click presses. */
  readonly key?: string | undefined;
}

/** Spans from left to right. */
export type Line = readonly Span[];

export function line(text: string, role: Role = "text"): Line {
  return [{ text, role }];
}

/** The columns of a label, including the space after it. */
export const LABEL_WIDTH = 13;

export function labelled(label: string, content: Line, role: Role = "muted"): Line {
  return [{ text: label.padEnd(LABEL_WIDTH), role }, ...content];
}

/** Adds the left margin of a panel. */
export function indented(content: Line): Line {
  return [{ text: " " }, ...content];
}

/** `1,200` */
export function countText(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1 variable`, `1,200 variables` */
export function countOf(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Joins blocks of lines with an empty line between them. */
export function spaced(blocks: readonly (readonly Line[])[]): Line[] {
  const shown = blocks.filter((block) => block.length > 0);
  return shown.flatMap((block, index) => (index === 0 ? block : [[], ...block]));
}

/** Cuts visible text with `…`, or pads it, to exactly `width` columns. */
export function fitText(text: string, width: number): string {
  if (width <= 0) return "";
  if (textWidth(text) <= width) return text + " ".repeat(width - textWidth(text));
  const [head = ""] = breakText(text, width - 1, Number.POSITIVE_INFINITY);
  return `${head}…${" ".repeat(width - 1 - textWidth(head))}`;
}

/**
 * The largest number of code units per column. A family emoji has eleven in two
 * columns.
 */
export const UNITS_PER_COLUMN = 12;

/** Fits any text into exactly `width` columns. */
export function cellText(text: string, width: number): string {
  return fitText(visibleText(text.slice(0, Math.max(0, width + 1) * UNITS_PER_COLUMN)), width);
}

/** Cuts a line with `…`, or pads it, to exactly `width` columns. */
export function fitLine(line: Line, width: number): Line {
  const cut = cutLine(line, width);
  const left = width - lineWidth(cut);
  return left > 0 ? [...cut, { text: " ".repeat(left) }] : cut;
}

/** Cuts a line with `…` if it is wider than `width` columns. */
export function cutLine(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line;
  const fitting: Span[] = [];
  let left = width;
  for (const span of line) {
    const spanWidth = textWidth(span.text);
    // The space makes `fitText` show the cut, since more text follows.
    if (spanWidth >= left) return [...fitting, { ...span, text: fitText(`${span.text} `, left) }];
    fitting.push(span);
    left -= spanWidth;
  }
  return fitting;
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, span) => sum + textWidth(span.text), 0);
}

/** Wraps visible text at `width` columns, at any character, without losing any. */
export function wrapLine(line: Line, width: number): Line[] {
  const lines: Span[][] = [[]];
  let left = width;
  for (const span of line) {
    const [first = "", ...others] = breakText(span.text, left, width);
    if (first !== "") lines.at(-1)?.push({ ...span, text: first });
    for (const text of others) lines.push([{ ...span, text }]);
    left = (others.length > 0 ? width : left) - textWidth(others.at(-1) ?? first);
  }
  return lines;
}

/** Wraps visible text at `width` columns, between words where possible. */
export function wrapWords(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(/ +/).flatMap((each) => [...breakText(each, width, width)])) {
    const last = lines.at(-1);
    const longer = last === "" ? word : `${last} ${word}`;
    if (textWidth(longer) > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** Wraps any text like {@link wrapWords}, as lines of one role. */
export function wrapLines(text: string, width: number, role: Role): Line[] {
  return wrapWords(visibleText(text), width).map((each) => line(each, role));
}

/**
 * Breaks a string into pieces of at most `width` columns; the first has at most
 * `first`, and can be empty.
 */
function* breakText(text: string, first: number, width: number): Generator<string> {
  let [start, left] = [0, first];
  for (const { text: grapheme, index } of graphemes(text)) {
    const columns = graphemeWidth(grapheme);
    if (columns > left && left < width) {
      yield text.slice(start, index);
      [start, left] = [index, width];
    }
    left -= columns;
  }
  yield text.slice(start);
}

/**
 * Symbols of the TUI, all one column wide. The first character of each string
 * replaces the others in ASCII.
 */
const ASCII_SIGNS = [
  "-─━",
  "|│┃",
  "+╭╮╰╯┏┓┗┛",
  ">▶›▸→",
  "<◂‹←",
  "#•",
  "o●",
  "x✗",
  "^↑",
  "v↓✓",
  "$↵",
  ".·",
  "~…",
];

const ASCII = /^[\x20-\x7e]*$/;

/**
 * Converts a line without changing its width. Other characters in names and
 * values become `?`.
 */
export function asciiLine(line: Line): Line {
  return line.map((span) =>
    ASCII.test(span.text) ? span : { ...span, text: asciiText(span.text) },
  );
}

function asciiText(text: string): string {
  return Array.from(graphemes(text), ({ text: grapheme }) =>
    ASCII.test(grapheme)
      ? grapheme
      : (ASCII_SIGNS.find((signs) => signs.includes(grapheme))?.charAt(0) ??
        "?".repeat(graphemeWidth(grapheme))),
  ).join("");
}
