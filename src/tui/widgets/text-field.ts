import { graphemeAt, graphemeEnd, graphemes, textWidth, visibleText } from "../text/graphemes.js";
import { cellText, type Line, UNITS_PER_COLUMN } from "../text/line.js";
import { editKeyName, type Key } from "./key.js";

/**
 * The cursor is an index into the UTF-16 code units of the text, between two
 * graphemes.
 */
export interface TextField {
  readonly text: string;
  readonly cursor: number;
  /**
   * The column, in code units, to which the cursor returns after shorter lines.
   */
  readonly column?: number;
}

export function textField(text: string): TextField {
  return { text, cursor: text.length };
}

/**
 * Applies a key to a field. Returns the same object if the key neither types,
 * deletes nor moves. A paste keeps tabs and line breaks (as `\n`), but loses
 * other control characters, which would be invisible.
 */
export function applyKey(field: TextField, key: Key): TextField {
  if (key.text !== "") return insert(field, withoutControls(key.text));
  const { text, cursor } = field;
  const to = CURSOR_MOVES[key.name]?.(field);
  if (to !== undefined) return withCursor(text, to);
  const other = DELETIONS[key.name]?.(field);
  if (other === undefined) return field;
  const start = Math.min(cursor, other);
  return withCursor(text.slice(0, start) + text.slice(Math.max(cursor, other)), start);
}

/**
 * Applies a key to a field with one line. Line breaks and tabs in a paste
 * become spaces.
 */
export function applyKeyToLine(field: TextField, key: Key): TextField {
  const text = key.text.replace(/[\r\n\t]+/g, " ");
  return applyKey(field, text === "" ? key : { name: text, text });
}

/**
 * Applies a key to a text area. Ctrl-J adds a line, and so does Enter if the
 * text has several.
 *
 * @param page how many lines PgUp and PgDn move
 * @param keepsIndent whether a new line keeps the indent of the one before
 */
export function applyKeyToArea(
  field: TextField,
  key: Key,
  page: number,
  keepsIndent: boolean,
): TextField {
  const { text, cursor } = field;
  const name = editKeyName(key);
  const hasLines = text.includes("\n");
  const by = { up: -1, down: 1, pageup: -page, pagedown: page }[name];
  if (by !== undefined) return hasLines ? moveLines(field, by) : field;
  if (name !== "ctrl-j" && !(name === "enter" && hasLines)) return applyKey(field, key);
  return insert(field, `\n${keepsIndent ? /^ */.exec(text.slice(lineStart(field), cursor)) : ""}`);
}

function insert({ text, cursor }: TextField, added: string): TextField {
  return withCursor(text.slice(0, cursor) + added + text.slice(cursor), cursor + added.length);
}

/** An edit can join two graphemes into one. The cursor then moves behind it. */
function withCursor(text: string, cursor: number): TextField {
  return { text, cursor: graphemeEnd(text, cursor) };
}

export function moveLines(field: TextField, by: number): TextField {
  const { text, cursor, column = cursor - lineStart(field) } = field;
  return { ...atPosition(text, rowOf(field) + 1 + by, column + 1), column };
}

/**
 * Moves the cursor to a line and column, or as near as possible. Both count
 * from 1.
 */
export function atPosition(text: string, line: number, column: number): TextField {
  const lines = text.split("\n");
  const row = Math.max(0, Math.min(lines.length, line) - 1);
  const start = lines.slice(0, row).reduce((sum, { length }) => sum + length + 1, 0);
  return withCursor(text, start + Math.min(column - 1, lines[row]?.length ?? 0));
}

/** The line of the cursor, counting from 0. */
export function rowOf({ text, cursor }: TextField): number {
  return text.slice(0, cursor).split("\n").length - 1;
}

/** Whether `applyKey` drops part of the text of a key. */
export function hasControls(key: Key): boolean {
  return withoutControls(key.text) !== withLineFeeds(key.text);
}

type Move = (field: TextField) => number;

const preceding: Move = ({ text, cursor }) => graphemeAt(text, cursor - 1)?.start ?? 0;
const following: Move = ({ text, cursor }) => graphemeAt(text, cursor)?.end ?? text.length;

function lineStart({ text, cursor }: TextField): number {
  return text.slice(0, cursor).lastIndexOf("\n") + 1;
}

function lineEnd({ text, cursor }: TextField): number {
  const end = text.indexOf("\n", cursor);
  return end < 0 ? text.length : end;
}

/**
 * Moves to the start or end of the line, or past the line break if the cursor
 * is already there.
 */
const toLineStart: Move = (field) => Math.min(lineStart(field), Math.max(0, field.cursor - 1));
const toLineEnd: Move = (field) =>
  Math.max(lineEnd(field), Math.min(field.text.length, field.cursor + 1));

const IN_WORD = String.raw`\p{L}\p{M}\p{N}_`;
const LAST_WORD = new RegExp(`(?<![${IN_WORD}])[${IN_WORD}]+[^${IN_WORD}]*$`, "u");
const NEXT_WORD = new RegExp(`^[^${IN_WORD}]*[${IN_WORD}]*`, "u");

const wordStart: Move = ({ text, cursor }) => Math.max(0, text.slice(0, cursor).search(LAST_WORD));

const wordEnd: Move = ({ text, cursor }) =>
  cursor + (NEXT_WORD.exec(text.slice(cursor))?.[0].length ?? 0);

/**
 * The position to which each key moves the cursor. Home and End stay in the
 * line.
 */
const CURSOR_MOVES: Readonly<Record<string, Move>> = {
  left: preceding,
  right: following,
  home: lineStart,
  "ctrl-a": lineStart,
  end: lineEnd,
  "ctrl-e": lineEnd,
  "ctrl-home": () => 0,
  "ctrl-end": ({ text }) => text.length,
  "ctrl-left": wordStart,
  "alt-b": wordStart,
  "ctrl-right": wordEnd,
  "alt-f": wordEnd,
};

const DELETIONS: Readonly<Record<string, Move>> = {
  backspace: preceding,
  "ctrl-h": preceding,
  delete: following,
  "ctrl-d": following,
  "ctrl-w": wordStart,
  "ctrl-u": toLineStart,
  "ctrl-k": toLineEnd,
};

function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

function withoutControls(text: string): string {
  return withLineFeeds(text).replace(/(?![\n\t])\p{Cc}/gu, "");
}

/**
 * Shows a field scrolled to its cursor, which is inverse. `↵` stands for a line
 * break.
 */
export function focusedInput({ text, cursor }: TextField, width: number): Line {
  const reach = (width + 1) * UNITS_PER_COLUMN;
  const [under = " ", ...others] = cells(text.slice(cursor, cursor + reach));
  const room = width - textWidth(under);
  const previous = cells(text.slice(Math.max(0, cursor - reach), cursor)).reverse();
  const before = fitting(previous, room).reverse().join("");
  const left = room - textWidth(before);
  const after = fitting(others, left).join("");
  const blanks = " ".repeat(Math.max(0, left - textWidth(after)));
  return [{ text: before }, { text: under, isInverse: true }, { text: after + blanks }];
}

/**
 * Shows at most `height` lines. The cursor is in the middle, except near the
 * start or the end, and only its line scrolls sideways.
 */
export function textArea(field: TextField, width: number, height: number): Line[] {
  const lines = field.text.split("\n");
  const row = rowOf(field);
  const top = Math.max(0, Math.min(row - Math.ceil((height - 1) / 2), lines.length - height));
  return lines.slice(top, top + height).map((text, index): Line => {
    if (top + index !== row) return [{ text: cellText(text, width) }];
    return focusedInput({ text, cursor: field.cursor - lineStart(field) }, width);
  });
}

export function unfocusedInput(text: string, width: number): string {
  return cellText(text.slice(0, (width + 1) * UNITS_PER_COLUMN).replace(/\r?\n/g, "↵"), width);
}

function cells(text: string): string[] {
  return Array.from(graphemes(text), ({ text: each }) =>
    /^\r?\n$/.test(each) ? "↵" : visibleText(each),
  );
}

function fitting(all: readonly string[], width: number): string[] {
  let left = width;
  const end = all.findIndex((cell) => {
    left -= textWidth(cell);
    return left < 0;
  });
  return all.slice(0, end < 0 ? all.length : end);
}
