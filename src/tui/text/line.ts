import chalk from "chalk";
import { graphemes, graphemeWidth, isNarrow, textWidth, visibleText } from "./graphemes.js";
import type { Role, TextStyle, Theme } from "./theme.js";

export interface Span {
  readonly text: string;
  /** `text` by default. */
  readonly role?: Role;
  readonly isBold?: boolean;
  readonly isInverse?: boolean;
  /** The name of the key that a click on it presses. */
  readonly key?: string | undefined;
}

/** One line of the screen, from the left. */
export type Line = readonly Span[];

export function line(text: string, role: Role = "text"): Line {
  return [{ text, role }];
}

/** Columns of a label, with the space after it. */
export const LABEL_WIDTH = 13;

export function labelled(label: string, content: Line, role: Role = "muted"): Line {
  return [{ text: label.padEnd(LABEL_WIDTH), role }, ...content];
}

/** The line with a space before it: the left margin in a panel. */
export function indented(content: Line): Line {
  return [{ text: " " }, ...content];
}

/** `1,200` */
export function countText(count: number): string {
  return count.toLocaleString("en-US");
}

/** Blocks of lines, with an empty line between two. */
export function spaced(blocks: readonly (readonly Line[])[]): Line[] {
  const shown = blocks.filter((block) => block.length > 0);
  return shown.flatMap((block, index) => (index === 0 ? block : [[], ...block]));
}

const ELLIPSIS = "…";

/** Visible text in exactly `width` columns: cut with `…`, or padded with spaces. */
export function fitText(text: string, width: number): string {
  if (width <= 0) return "";
  const [head, isCut] = cutText(text, width);
  if (!isCut) return head + " ".repeat(width - textWidth(head));
  const [shorter] = cutText(head, width - 1);
  return `${shorter}${ELLIPSIS}${" ".repeat(width - 1 - textWidth(shorter))}`;
}

/** Code units that one column can need: a family of emoji has eleven in two columns. */
const MAX_UNITS = 12;

/** Any text, of any length and content, in exactly `width` columns. */
export function cellText(text: string, width: number): string {
  return fitText(visibleText(text.slice(0, Math.max(0, width + 1) * MAX_UNITS)), width);
}

/** A line in exactly `width` columns: cut with `…`, or padded with spaces. */
export function fitLine(line: Line, width: number): Line {
  const cut = cutLine(line, width);
  const left = width - lineWidth(cut);
  return left > 0 ? [...cut, { text: " ".repeat(left) }] : cut;
}

/** A line in at most `width` columns, cut with `…` if it is longer. */
export function cutLine(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line;
  const kept: Span[] = [];
  let left = width;
  for (const span of line) {
    const spanWidth = textWidth(span.text);
    // More text follows, or the line would not be too wide: the space makes sure that the cut shows.
    if (spanWidth >= left) return [...kept, { ...span, text: fitText(`${span.text} `, left) }];
    kept.push(span);
    left -= spanWidth;
  }
  return kept;
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, span) => sum + textWidth(span.text), 0);
}

function cutText(text: string, width: number): [head: string, isCut: boolean] {
  if (isNarrow(text.slice(0, width + 1))) return [text.slice(0, width), text.length > width];
  let used = 0;
  for (const { text: grapheme, index } of graphemes(text)) {
    used += graphemeWidth(grapheme);
    if (used > width) return [text.slice(0, index), true];
  }
  return [text, false];
}

/** Visible text in lines of at most `width` columns, broken at any character: none is lost. */
export function wrapLine(line: Line, width: number): Line[] {
  const lines: Line[] = [];
  let current: Span[] = [];
  let left = width;
  for (const span of line) {
    for (const [index, piece] of breakText(span.text, left, width).entries()) {
      if (index > 0) {
        lines.push(current);
        current = [];
        left = width;
      }
      if (piece.text !== "") current.push({ ...span, text: piece.text });
      left -= piece.width;
    }
  }
  return [...lines, current];
}

/** Visible text in lines of at most `width` columns, broken between words where possible. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let current = "";
  let used = 0;
  for (const word of text.split(/ +/)) {
    for (const [index, piece] of breakText(word, width, width).entries()) {
      const isFirst = current === "";
      if (index > 0 || (!isFirst && used + 1 + piece.width > width)) {
        lines.push(current);
        [current, used] = [piece.text, piece.width];
      } else {
        current += isFirst ? piece.text : ` ${piece.text}`;
        used += piece.width + (isFirst ? 0 : 1);
      }
    }
  }
  return [...lines, current];
}

/** {@link wrapWords} of any text, as lines of one role. */
export function wrapLines(text: string, width: number, role: Role): Line[] {
  return wrapWords(visibleText(text), width).map((each) => line(each, role));
}

interface Piece {
  readonly text: string;
  readonly width: number;
}

/** The text in pieces: the first of at most `first` columns, which can be empty; the others of at most `width`. */
function breakText(text: string, first: number, width: number): Piece[] {
  if (isNarrow(text)) return breakNarrow(text, first, width);
  const pieces: Piece[] = [];
  let start = 0;
  let used = 0;
  let room = first;
  for (const grapheme of graphemes(text)) {
    const columns = graphemeWidth(grapheme.text);
    if (used + columns > room && !(used === 0 && room === width)) {
      pieces.push({ text: text.slice(start, grapheme.index), width: used });
      [start, used, room] = [grapheme.index, 0, width];
    }
    used += columns;
  }
  return [...pieces, { text: text.slice(start), width: used }];
}

function breakNarrow(text: string, first: number, width: number): Piece[] {
  const others = text.slice(first).match(new RegExp(`.{1,${width}}`, "g")) ?? [];
  return [text.slice(0, first), ...others].map((piece) => ({ text: piece, width: piece.length }));
}

/** A line with the escape sequences of a theme. */
export function paintLine(line: Line, theme: Theme): string {
  return joined(line)
    .map(({ text, role = "text", isBold = false, isInverse = false }) =>
      paint(text, { ...theme[role], ...(isBold && { bold: true }) }, isInverse),
    )
    .join("");
}

/** Neighbours of one style are one span: the letters of a match would have escape sequences of their own. */
function joined(line: Line): Line {
  const spans: Span[] = [];
  for (const span of line) {
    const last = spans.at(-1);
    const isAlike = last && (["role", "isBold", "isInverse"] as const).every((style) => last[style] === span[style]);
    if (isAlike) spans[spans.length - 1] = { ...last, text: last.text + span.text };
    else spans.push(span);
  }
  return spans;
}

function paint(text: string, style: TextStyle, isInverse: boolean): string {
  let painted = colored(text, style);
  if (style.dimColor) painted = chalk.dim(painted);
  if (style.bold) painted = chalk.bold(painted);
  if (style.underline) painted = chalk.underline(painted);
  return isInverse ? chalk.inverse(painted) : painted;
}

/** With 256 colors, chalk often turns `#rrggbb` into a paler color, which can fall below the measured contrast. */
function colored(text: string, { color, ansi256 }: TextStyle): string {
  if (color === undefined) return text;
  return chalk.level === 2 && ansi256 !== undefined ? chalk.ansi256(ansi256)(text) : chalk.hex(color)(text);
}
