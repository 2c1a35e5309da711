import { segmenter } from "../text/graphemes.js";
import type { Key } from "./key.js";
import { endOfLine, startOfLine } from "./text-input.js";

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

/** The end of the grapheme that an index is in. */
function graphemeEnd(text: string, index: number): number {
  const at = graphemeAt(text, index);
  return at && at.start < index ? at.end : index;
}

/** Code units around an index that are segmented: far more than any grapheme has. */
const REACH = 1_000;

/** The grapheme that an index is in. Segmenting all of a long text takes too long for a key. */
function graphemeAt(text: string, index: number): { start: number; end: number } | undefined {
  const from = Math.max(0, index - REACH);
  const found = segmenter.segment(text.slice(from, index + REACH)).containing(index - from);
  return found && { start: from + found.index, end: from + found.index + found.segment.length };
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
