import { segmenter } from "../text/graphemes.js";
import { isTyped, type Key } from "./key.js";

/** A text field. The cursor is an index into the UTF-16 code units of the text, between two graphemes. */
export interface TextField {
  readonly text: string;
  readonly cursor: number;
}

export function textField(text: string): TextField {
  return { text, cursor: text.length };
}

/**
 * A field after a key: the same object if the key neither types, deletes nor moves.
 *
 * Of a paste, line breaks (as `\n`) and tabs are kept, and other control characters, which can't be seen, are dropped:
 * see `hasControls`. Home, End, ctrl-a and ctrl-e stay in the line; ctrl-u and ctrl-k delete everything before and after
 * the cursor.
 */
export function editText(field: TextField, key: Key): TextField {
  if (isTyped(key)) return insert(field, withoutControls(key.text));
  return EDITS[key.name]?.(field) ?? field;
}

/** The same for a field of one line: line breaks and tabs in a paste become spaces. */
export function editLine(field: TextField, key: Key): TextField {
  const text = key.text.replace(/[\r\n\t]+/g, " ");
  return editText(field, isTyped(key) ? { name: text, text } : key);
}

export function insert({ text, cursor }: TextField, added: string): TextField {
  return moved(text.slice(0, cursor) + added + text.slice(cursor), cursor + added.length);
}

/** Whether `editText` drops some of the text of this key. */
export function hasControls(key: Key): boolean {
  return isTyped(key) && withoutControls(key.text) !== withLineFeeds(key.text);
}

const EDITS: Readonly<Record<string, (field: TextField) => TextField>> = {
  left: (field) => ({ ...field, cursor: before(field) }),
  right: (field) => ({ ...field, cursor: after(field) }),
  home: toLineStart,
  "ctrl-a": toLineStart,
  end: toLineEnd,
  "ctrl-e": toLineEnd,
  "ctrl-left": toWordStart,
  "alt-b": toWordStart,
  "ctrl-right": toWordEnd,
  "alt-f": toWordEnd,
  backspace: deleteBefore,
  "ctrl-h": deleteBefore,
  delete: deleteAfter,
  "ctrl-d": deleteAfter,
  "ctrl-w": (field) => without(field, toWordStart(field).cursor, field.cursor),
  "ctrl-u": (field) => without(field, 0, field.cursor),
  "ctrl-k": (field) => without(field, field.cursor, field.text.length),
};

function before({ text, cursor }: TextField): number {
  return segmenter.segment(text).containing(cursor - 1)?.index ?? 0;
}

function after({ text, cursor }: TextField): number {
  const next = segmenter.segment(text).containing(cursor);
  return next ? next.index + next.segment.length : text.length;
}

function deleteBefore(field: TextField): TextField {
  return without(field, before(field), field.cursor);
}

function deleteAfter(field: TextField): TextField {
  return without(field, field.cursor, after(field));
}

function without({ text }: TextField, start: number, end: number): TextField {
  return moved(text.slice(0, start) + text.slice(end), start);
}

/** Moves the cursor to the end of the grapheme it is in: an edit can join two graphemes into one. */
function moved(text: string, cursor: number): TextField {
  const at = segmenter.segment(text).containing(cursor);
  return { text, cursor: at && at.index < cursor ? at.index + at.segment.length : cursor };
}

function toLineStart(field: TextField): TextField {
  return { ...field, cursor: field.text.slice(0, field.cursor).lastIndexOf("\n") + 1 };
}

function toLineEnd(field: TextField): TextField {
  const end = field.text.indexOf("\n", field.cursor);
  return { ...field, cursor: end < 0 ? field.text.length : end };
}

/** To the start of the word that the cursor is in or after. */
function toWordStart({ text, cursor }: TextField): TextField {
  let at = cursor;
  while (at > 0 && !isWord(text, at - 1)) at--;
  while (at > 0 && isWord(text, at - 1)) at--;
  return moved(text, at);
}

/** To the end of the word that the cursor is in or before. */
function toWordEnd({ text, cursor }: TextField): TextField {
  let at = cursor;
  while (at < text.length && !isWord(text, at)) at++;
  while (at < text.length && isWord(text, at)) at++;
  return moved(text, at);
}

/** By code unit: finding the graphemes of a long text takes seconds. */
function isWord(text: string, at: number): boolean {
  return /[\p{L}\p{M}\p{N}_]/u.test(text.charAt(at));
}

function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

function withoutControls(text: string): string {
  return withLineFeeds(text).replace(/(?![\n\t])\p{Cc}/gu, "");
}
