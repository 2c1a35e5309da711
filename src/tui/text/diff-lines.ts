import { diffArrays } from "diff";
import { graphemeEnd, graphemes, visibleText, withVisibleEnd } from "./graphemes.js";
import { countText, type Line, type Span, wrapLine } from "./line.js";
import type { Role } from "./theme.js";

/** Lines of a text, or a placeholder for them, which is never equal to anything. */
export interface Side {
  readonly texts: readonly string[];
  readonly isPlaceholder: boolean;
}

export interface DiffLines {
  readonly lines: readonly Line[];
  /** The first line of each change. */
  readonly changes: readonly number[];
}

/** A line of a text in a diff. */
interface Row {
  readonly kind: keyof typeof KINDS;
  readonly text: string;
  /** What is not from the text itself: `… 43 equal characters … `, or a placeholder. */
  readonly head?: string;
  readonly tail?: string;
  /** The text that became this one, or the other way round. */
  readonly other?: string | undefined;
  /** Whether it is the first row of a change. */
  readonly isFirst?: boolean;
}

const KINDS = {
  equal: { sign: "  ", role: "muted" },
  note: { sign: "  ", role: "muted" },
  removed: { sign: "- ", role: "danger" },
  added: { sign: "+ ", role: "success" },
} as const satisfies Record<string, { sign: string; role: Role }>;

/** Characters of a diff that are drawn: more take noticeably long. */
const MAX_DRAWN = 50_000;
const CUT = `(only the first ${countText(MAX_DRAWN)} characters are shown)`;

/** The changed lines, with some equal ones around them, in lines of at most `width` columns. Changed words are inverse. */
export function diffLines(before: Side, after: Side, width: number): DiffLines {
  const room = Math.max(1, width - 2);
  const lines: Line[] = [];
  const changes: number[] = [];
  let left = MAX_DRAWN;
  for (const row of rowsOf(before, after)) {
    if (left < 0) break;
    if (row.isFirst) changes.push(lines.length);
    lines.push(...rowLines(row.text.length > left ? { ...row, text: row.text.slice(0, left), tail: "" } : row, room));
    left -= row.text.length;
  }
  if (left < 0) lines.push(...rowLines({ kind: "note", text: CUT }, room));
  return { lines, changes };
}

function rowLines(row: Row, room: number): Line[] {
  const { head = "", tail = "" } = row;
  const { sign, role } = KINDS[row.kind];
  const spans: Span[] = [{ text: head, role: "muted" }, ...wordSpans(row, role), { text: tail, role: "muted" }];
  const visible = spans.flatMap((span) => (span.text === "" ? [] : [{ ...span, text: visibleText(span.text) }]));
  return wrapLine(visible, room).map((each, at): Line => [{ text: at === 0 ? sign : "  ", role }, ...each]);
}

function* rowsOf(before: Side, after: Side): Generator<Row> {
  if (before.isPlaceholder || after.isPlaceholder) {
    yield* changedRows(before.texts, after.texts, before.isPlaceholder, after.isPlaceholder);
    return;
  }
  const { changes, isExact } = compared(before.texts, after.texts);
  const parts = partsOf(changes);
  if (!isExact) yield { kind: "note", text: "(too many changes: only the first and the last lines were compared)" };
  const isLong = ({ removed, added }: Part) =>
    removed.slice(0, added.length).some((text, at) => !isComparable(text, added[at] ?? ""));
  if (parts.some(isLong)) yield { kind: "note", text: "(long lines were not compared word by word)" };
  for (const [index, { equal, removed, added }] of parts.entries()) {
    const isChanged = removed.length + added.length > 0;
    yield* equalRows(equal, index > 0 || !isChanged, isChanged || parts.length === 1);
    yield* changedRows(removed, added);
  }
}

type Changes = readonly { readonly value: readonly string[]; readonly added?: boolean; readonly removed?: boolean }[];

/** The time of a comparison grows with the square of this number: 500 edits take some 20 ms. */
const MAX_EDITS = 500;

/** Compares two sequences by a longest common subsequence, or by their ends alone if there are too many changes. */
function compared(before: readonly string[], after: readonly string[]): { changes: Changes; isExact: boolean } {
  const changes = diffArrays([...before], [...after], { maxEditLength: MAX_EDITS });
  if (changes) return { changes, isExact: true };
  const [head, tail] = equalEnds(before, after);
  const ends = [
    { value: before.slice(0, head) },
    { value: before.slice(head, before.length - tail), removed: true },
    { value: after.slice(head, after.length - tail), added: true },
    { value: before.slice(before.length - tail) },
  ];
  return { changes: ends, isExact: false };
}

/** How many items, or code units, are equal at the start and at the end. */
function equalEnds(before: ArrayLike<unknown>, after: ArrayLike<unknown>): [head: number, tail: number] {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return [head, tail];
}

/** Equal lines, and the change after them. */
type Part = Record<"equal" | "removed" | "added", readonly string[]>;

function partsOf(changes: Changes): readonly Part[] {
  const parts: Part[] = [{ equal: [], removed: [], added: [] }];
  for (const { value, added, removed } of changes) {
    const last = parts.at(-1) as Part;
    const kind = added ? "added" : removed ? "removed" : "equal";
    const isChanged = last.removed.length + last.added.length > 0;
    if (kind === "equal" && isChanged) parts.push({ equal: value, removed: [], added: [] });
    else last[kind] = [...last[kind], ...value];
  }
  return parts;
}

const CONTEXT = 3;

/** @param isAfter whether they are after a change */
function* equalRows(texts: readonly string[], isAfter: boolean, isBefore: boolean): Generator<Row> {
  const head = isAfter ? CONTEXT : 0;
  const end = texts.length - (isBefore ? CONTEXT : 0);
  // The note takes as much room as one line.
  const isFolded = end - head > 1;
  for (const [index, text] of texts.entries()) {
    if (isFolded && index === head) yield { kind: "note", text: `… ${countText(end - head)} equal lines …` };
    if (!isFolded || index < head || index >= end) yield { kind: "equal", text: withVisibleEnd(text) };
  }
}

/** The removed lines, then the added ones: the first of these was the first of those, and so on. */
function* changedRows(
  removed: readonly string[],
  added: readonly string[],
  isOldHidden = false,
  isNewHidden = false,
): Generator<Row> {
  const isPaired = !isOldHidden && !isNewHidden;
  const row = (kind: Row["kind"], text: string, isHidden: boolean, other: string | undefined): Row => {
    if (isHidden) return { kind, head: text, text: "" };
    return isPaired && other !== undefined
      ? pairedRow(kind, withVisibleEnd(text), withVisibleEnd(other))
      : { kind, text: withVisibleEnd(text) };
  };
  for (const [at, text] of removed.entries())
    yield { ...row("removed", text, isOldHidden, added[at]), isFirst: at === 0 };
  for (const [at, text] of added.entries())
    yield { ...row("added", text, isNewHidden, removed[at]), isFirst: at === 0 && removed.length === 0 };
}

/** Of this many equal characters at one end of two lines, only some are shown. */
const LONG = 60;
const KEPT = 20;

function pairedRow(kind: Row["kind"], text: string, other: string): Row {
  const [equalHead, equalTail] = equalEnds(text, other);
  const from = equalHead < LONG ? 0 : graphemeEnd(text, equalHead - KEPT);
  const to = equalTail < LONG ? text.length : graphemeEnd(text, text.length - equalTail + KEPT);
  const left = text.length - to;
  return {
    kind,
    head: from === 0 ? "" : `… ${countText(from)} equal characters … `,
    text: text.slice(from, to),
    tail: left === 0 ? "" : ` … ${countText(left)} equal characters …`,
    other: other.slice(from, other.length - left),
  };
}

/** With less in common, nothing is marked: all of it has changed. */
const MIN_EQUAL = 0.3;

/** Longer lines are not compared by words. */
const MAX_LENGTH = 5_000;

function isComparable(...lines: readonly string[]): boolean {
  return lines.every(({ length }) => length <= MAX_LENGTH);
}

/** The text of a row, with the words inverse that the other text does not have. */
function wordSpans({ kind, text, other }: Row, role: Role): Span[] {
  if (other === undefined || !isComparable(text, other)) return [{ text, role }];
  const isOld = kind === "removed";
  const [before, after] = isOld ? [text, other] : [other, text];
  const spans = compared(wordsOf(before), wordsOf(after)).changes.flatMap(({ value, added, removed }): Span[] => {
    if (isOld ? added : removed) return [];
    return [{ text: value.join(""), role, isInverse: Boolean(added || removed) }];
  });
  const equal = spans.reduce((sum, span) => sum + (span.isInverse ? 0 : span.text.length), 0);
  return equal < MIN_EQUAL * Math.max(text.length, other.length) ? [{ text, role }] : spans;
}

const IN_WORD = /^[\p{L}\p{N}_]/u;

/** Words, and single other graphemes. */
function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  let isInWord = false;
  for (const { text: grapheme } of graphemes(text)) {
    const isWord = IN_WORD.test(grapheme);
    if (isWord && isInWord) words[words.length - 1] += grapheme;
    else words.push(grapheme);
    isInWord = isWord;
  }
  return words;
}
