import { graphemeAt, graphemeEnd, graphemes, textWidth, visibleText } from "../text/graphemes.js";
import { cellText, type Line } from "../text/line.js";
import type { Key } from "./key.js";

/** A text field. The cursor is an index into the UTF-16 code units of the text, between two graphemes. */
export interface TextField {
  readonly text: string;
  readonly cursor: number;
  /** The column to return to after shorter lines, in code units, while the cursor moves by lines. */
  readonly column?: number;
}

export function textField(text: string): TextField {
  return { text, cursor: text.length };
}

/**
 * A field after a key: the same object if the key neither types, deletes nor moves. Of a paste, line breaks (as `\n`) and
 * tabs are kept; other control characters, which can't be seen, are dropped.
 */
export function editText(field: TextField, key: Key): TextField {
  if (key.text !== "") return insert(field, withoutControls(key.text));
  const move = MOVES[key.name];
  if (move) return { text: field.text, cursor: move(field) };
  const end = DELETIONS[key.name];
  return end ? without(field, end(field)) : field;
}

/** The same for a field of one line: line breaks and tabs in a paste become spaces. */
export function editLine(field: TextField, key: Key): TextField {
  const text = key.text.replace(/[\r\n\t]+/g, " ");
  return editText(field, text === "" ? key : { name: text, text });
}

export function insert({ text, cursor }: TextField, added: string): TextField {
  return withCursor(text.slice(0, cursor) + added + text.slice(cursor), cursor + added.length);
}

/** A field after its cursor has moved up or down by lines, as far as there are some. */
export function moveLines(field: TextField, by: number): TextField {
  const { text, column = field.cursor - lineStart(field) } = field;
  let start = lineStart(field);
  for (let left = by; left < 0 && start > 0; left++) start = startOfLine(text, start - 1);
  for (let left = by; left > 0; left--) {
    const end = text.indexOf("\n", start);
    if (end < 0) break;
    start = end + 1;
  }
  const cursor = Math.min(start + column, endOfLine(text, start));
  return { ...withCursor(text, cursor), column };
}

/** Whether `editText` drops some of the text of this key. */
export function hasControls(key: Key): boolean {
  return withoutControls(key.text) !== withLineFeeds(key.text);
}

type Move = (field: TextField) => number;

/** Where the cursor goes; Home and End stay in the line. */
const MOVES: Readonly<Record<string, Move>> = {
  left: before,
  right: after,
  home: lineStart,
  "ctrl-a": lineStart,
  end: lineEnd,
  "ctrl-e": lineEnd,
  "ctrl-left": wordStart,
  "alt-b": wordStart,
  "ctrl-right": wordEnd,
  "alt-f": wordEnd,
};

/** How far the text is deleted, from the cursor on. */
const DELETIONS: Readonly<Record<string, Move>> = {
  backspace: before,
  "ctrl-h": before,
  delete: after,
  "ctrl-d": after,
  "ctrl-w": wordStart,
  "ctrl-u": () => 0,
  "ctrl-k": ({ text }) => text.length,
};

function before({ text, cursor }: TextField): number {
  return graphemeAt(text, cursor - 1)?.start ?? 0;
}

function after({ text, cursor }: TextField): number {
  return graphemeAt(text, cursor)?.end ?? text.length;
}

function lineStart({ text, cursor }: TextField): number {
  return startOfLine(text, cursor);
}

function lineEnd({ text, cursor }: TextField): number {
  return endOfLine(text, cursor);
}

/** The start of the word that the cursor is in or after. */
function wordStart({ text, cursor }: TextField): number {
  let at = cursor;
  while (at > 0 && !isWord(text, at - 1)) at--;
  while (at > 0 && isWord(text, at - 1)) at--;
  return graphemeEnd(text, at);
}

/** The end of the word that the cursor is in or before. */
function wordEnd({ text, cursor }: TextField): number {
  let at = cursor;
  while (at < text.length && !isWord(text, at)) at++;
  while (at < text.length && isWord(text, at)) at++;
  return graphemeEnd(text, at);
}

function without({ text, cursor }: TextField, other: number): TextField {
  const start = Math.min(cursor, other);
  return withCursor(text.slice(0, start) + text.slice(Math.max(cursor, other)), start);
}

/** An edit can join two graphemes into one: the cursor is then after it. */
function withCursor(text: string, cursor: number): TextField {
  return { text, cursor: graphemeEnd(text, cursor) };
}

const WORD = /[\p{L}\p{M}\p{N}_]/u;
const ASCII_WORD = Array.from({ length: 128 }, (_, code) => WORD.test(String.fromCharCode(code)));

/** By code unit: finding the graphemes of a long text takes seconds. */
function isWord(text: string, at: number): boolean {
  return ASCII_WORD[text.charCodeAt(at)] ?? WORD.test(text.charAt(at));
}

function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

function withoutControls(text: string): string {
  return withLineFeeds(text).replace(/(?![\n\t])\p{Cc}/gu, "");
}

/** Code units of an input without the focus that are drawn: more than any field is wide. */
const DRAWN = 4_000;

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

function endOfLine(text: string, index: number): number {
  const end = text.indexOf("\n", index);
  return end < 0 ? text.length : end;
}

/** A text field without the focus. */
export function inputText(text: string): string {
  return textOf(cells(text.slice(0, DRAWN)));
}

interface Piece {
  readonly text: string;
  readonly width: number;
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
