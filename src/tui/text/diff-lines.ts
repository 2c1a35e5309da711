import { type ArrayChange, diffArrays } from "diff";
import { visibleText, withVisibleEnd } from "./graphemes.js";
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

interface Row {
  readonly kind: keyof typeof KINDS;
  readonly text: string;
  /** The text that became this one, or the other way round. */
  readonly other?: string | undefined;
  /** Whether it is the first row of a change. */
  readonly isFirst?: boolean;
}

const KINDS = {
  equal: { sign: "  ", role: "muted" },
  removed: { sign: "- ", role: "danger" },
  added: { sign: "+ ", role: "success" },
} as const satisfies Record<string, { sign: string; role: Role }>;

/** Characters of a diff that are drawn: more are noticeably slow. */
const MAX_DRAWN = 50_000;
const CUT = `(only the first ${countText(MAX_DRAWN)} characters are shown)`;

/**
 * The changed lines, with some equal ones around them, in lines of at most `width` columns. Changed
 * words are inverse.
 */
export function diffLines(before: Side, after: Side, width: number): DiffLines {
  const room = Math.max(1, width - 2);
  const lines: Line[] = [];
  const changes: number[] = [];
  let left = MAX_DRAWN;
  for (const whole of rowsOf(before, after)) {
    if (left < 0) break;
    const row = shortened(whole);
    if (row.isFirst) changes.push(lines.length);
    lines.push(...rowLines({ ...row, text: row.text.slice(0, left) }, room));
    left -= row.text.length;
  }
  if (left < 0) lines.push(...rowLines({ kind: "equal", text: CUT }, room));
  return { lines, changes };
}

const LONG = 1_000;
/** The number of equal characters to show on each side of a change in a long line. */
const AROUND = 200;

function shortened(row: Row): Row {
  const { kind, text, other } = row;
  if (text.length <= LONG && (other?.length ?? 0) <= LONG) return row;
  if (other === undefined)
    return kind === "equal" ? { ...row, text: `${text.slice(0, LONG)}…` } : row;
  const most = Math.min(text.length, other.length);
  let [start, end] = [0, 0];
  while (start < most && text[start] === other[start]) start++;
  while (end < most - start && text.at(-1 - end) === other.at(-1 - end)) end++;
  const [from, left] = [Math.max(0, start - AROUND), Math.max(0, end - AROUND)];
  const cut = (all: string) =>
    `${from > 0 ? "…" : ""}${all.slice(from, all.length - left)}${left > 0 ? "…" : ""}`;
  return { ...row, text: cut(text), other: cut(other) };
}

function rowLines(row: Row, room: number): Line[] {
  const { sign, role } = KINDS[row.kind];
  const visible = wordSpans(row, role).map((span) => ({ ...span, text: visibleText(span.text) }));
  return wrapLine(visible, room).map(
    (each, at): Line => [{ text: at === 0 ? sign : "  ", role }, ...each],
  );
}

function* rowsOf(before: Side, after: Side): Generator<Row> {
  const isHidden = before.isPlaceholder || after.isPlaceholder;
  const parts = isHidden ? undefined : compared(before.texts, after.texts);
  if (!parts) {
    if (!isHidden && before.texts.length > 0 && after.texts.length > 0)
      yield { kind: "equal", text: "(too many changes: lines were not compared)" };
    yield* changedRows("removed", before.texts);
    yield* changedRows("added", after.texts, [], before.texts.length === 0);
    return;
  }
  for (const [index, { value, added, removed }] of parts.entries()) {
    const [last, next] = [parts[index - 1], parts[index + 1]];
    if (removed) yield* changedRows("removed", value, next?.added ? next.value : []);
    else if (added)
      yield* changedRows("added", value, last?.removed ? last.value : [], !last?.removed);
    else yield* equalRows(value, last !== undefined || !next, next !== undefined || !last);
  }
}

/** The time of a comparison grows with the square of this number: 500 edits take some 20 ms. */
const MAX_EDITS = 500;

/**
 * Compares two sequences by a longest common subsequence; undefined if there are too many changes.
 * Removed items come before those that were added in their place.
 */
function compared(
  before: readonly string[],
  after: readonly string[],
): readonly ArrayChange<string>[] | undefined {
  return diffArrays([...before], [...after], { maxEditLength: MAX_EDITS });
}

const CONTEXT = 3;

/** @param isAfter whether they are after a change */
function* equalRows(texts: readonly string[], isAfter: boolean, isBefore: boolean): Generator<Row> {
  const head = isAfter ? CONTEXT : 0;
  const end = texts.length - (isBefore ? CONTEXT : 0);
  // The note takes as much room as one line.
  const isFolded = end - head > 1;
  for (const [index, text] of texts.entries()) {
    if (isFolded && index === head)
      yield { kind: "equal", text: `… ${countText(end - head)} equal lines …` };
    if (!isFolded || index < head || index >= end)
      yield { kind: "equal", text: withVisibleEnd(text) };
  }
}

/**
 * Lines on one side of a change: the first of `others`, on the other side, was the first of them,
 * and so on.
 */
function* changedRows(
  kind: "removed" | "added",
  texts: readonly string[],
  others: readonly string[] = [],
  isFirst = true,
): Generator<Row> {
  for (const [at, text] of texts.entries()) {
    const other = others[at];
    yield {
      kind,
      text: withVisibleEnd(text),
      other: other && withVisibleEnd(other),
      isFirst: isFirst && at === 0,
    };
  }
}

/** With less in common, nothing is marked: all of it has changed. */
const MIN_EQUAL = 0.3;

/** The text of a row, with the words inverse that the other text does not have. */
function wordSpans({ kind, text, other }: Row, role: Role): Span[] {
  if (other === undefined) return [{ text, role }];
  const isOld = kind === "removed";
  const changes = isOld
    ? compared(wordsOf(text), wordsOf(other))
    : compared(wordsOf(other), wordsOf(text));
  const spans = changes?.flatMap(({ value, added, removed }): Span[] => {
    return (isOld ? added : removed)
      ? []
      : [{ text: value.join(""), role, isInverse: added || removed || false }];
  });
  const equal = spans?.reduce((sum, span) => sum + (span.isInverse ? 0 : span.text.length), 0) ?? 0;
  return spans && equal >= MIN_EQUAL * Math.max(text.length, other.length)
    ? spans
    : [{ text, role }];
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{M}\p{N}_]+|[\s\S]\p{M}*/gu) ?? [];
}
