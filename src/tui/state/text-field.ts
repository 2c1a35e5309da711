import type { Key } from "./message.js";
import { isTyped } from "./typed.js";

/** A text that is being typed, and where the cursor is in it: an index into its UTF-16 code units, on a grapheme's edge. */
export interface TextField {
  readonly text: string;
  readonly cursor: number;
}

/** A field with this text, and the cursor behind it. */
export function textField(text: string): TextField {
  return { text, cursor: text.length };
}

/**
 * What a key makes of a field: the same object for a key that neither types, deletes nor moves.
 *
 * Typed or pasted text goes in at the cursor. Of a paste, line breaks are kept, as `\n` each, and tabs; all other
 * control characters are left out, since they can't be seen: `hasControls` tells whether there are any.
 * Home, End, ctrl-a and ctrl-e stay in the line; ctrl-u and ctrl-k delete all before and behind the cursor.
 */
export function editText(field: TextField, key: Key): TextField {
  if (isTyped(key)) return insert(field, withoutControls(key.text));
  return EDITS[key.name]?.(field) ?? field;
}

/** The same for a field of one line: line breaks and tabs in a paste become a space. */
export function editLine(field: TextField, key: Key): TextField {
  const text = key.text.replace(/[\r\n\t]+/g, " ");
  return editText(field, isTyped(key) ? { name: text, text } : key);
}

/** Puts text in at the cursor, which goes behind it. */
export function insert({ text, cursor }: TextField, added: string): TextField {
  return moved(text.slice(0, cursor) + added + text.slice(cursor), cursor + added.length);
}

/** Whether `editText` leaves out some of what this key types. */
export function hasControls(key: Key): boolean {
  return isTyped(key) && withoutControls(key.text) !== withLineFeeds(key.text);
}

const EDITS: Readonly<Record<string, (field: TextField) => TextField>> = {
  left: (field) => ({ ...field, cursor: before(field) }),
  right: (field) => ({ ...field, cursor: behind(field) }),
  home: toLineStart,
  "ctrl-a": toLineStart,
  end: toLineEnd,
  "ctrl-e": toLineEnd,
  "ctrl-left": (field) => ({ ...field, cursor: wordStart(field) }),
  "alt-b": (field) => ({ ...field, cursor: wordStart(field) }),
  "ctrl-right": (field) => ({ ...field, cursor: wordEnd(field) }),
  "alt-f": (field) => ({ ...field, cursor: wordEnd(field) }),
  backspace: (field) => without(field, before(field), field.cursor),
  "ctrl-h": (field) => without(field, before(field), field.cursor),
  delete: (field) => without(field, field.cursor, behind(field)),
  "ctrl-d": (field) => without(field, field.cursor, behind(field)),
  "ctrl-w": (field) => without(field, wordStart(field), field.cursor),
  "ctrl-u": (field) => without(field, 0, field.cursor),
  "ctrl-k": (field) => without(field, field.cursor, field.text.length),
};

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });

function before({ text, cursor }: TextField): number {
  return GRAPHEMES.segment(text).containing(cursor - 1)?.index ?? 0;
}

function behind({ text, cursor }: TextField): number {
  const next = GRAPHEMES.segment(text).containing(cursor);
  return next ? next.index + next.segment.length : text.length;
}

function without({ text }: TextField, start: number, end: number): TextField {
  return moved(text.slice(0, start) + text.slice(end), start);
}

/** With the cursor behind the grapheme that it would be in: what an edit puts together may be one. */
function moved(text: string, cursor: number): TextField {
  const at = GRAPHEMES.segment(text).containing(cursor);
  return { text, cursor: at && at.index < cursor ? at.index + at.segment.length : cursor };
}

function toLineStart(field: TextField): TextField {
  return { ...field, cursor: field.text.slice(0, field.cursor).lastIndexOf("\n") + 1 };
}

function toLineEnd(field: TextField): TextField {
  const end = field.text.indexOf("\n", field.cursor);
  return { ...field, cursor: end < 0 ? field.text.length : end };
}

/** The start of the word that the cursor is in or behind. */
function wordStart({ text, cursor }: TextField): number {
  let at = cursor;
  while (at > 0 && !isWord(text, at - 1)) at--;
  while (at > 0 && isWord(text, at - 1)) at--;
  return moved(text, at).cursor;
}

/** The end of the word that the cursor is in or before. */
function wordEnd({ text, cursor }: TextField): number {
  let at = cursor;
  while (at < text.length && !isWord(text, at)) at++;
  while (at < text.length && isWord(text, at)) at++;
  return moved(text, at).cursor;
}

/** By code unit: finding the graphemes of a long text one by one takes seconds. */
function isWord(text: string, at: number): boolean {
  return /[\p{L}\p{M}\p{N}_]/u.test(text.charAt(at));
}

function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

function withoutControls(text: string): string {
  return withLineFeeds(text).replace(/(?![\n\t])\p{Cc}/gu, "");
}
