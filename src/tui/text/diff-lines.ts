import { type ArrayChange, diffArrays } from "diff";
import { visibleText, withVisibleEnd } from "./graphemes.js";
import { countText, type Line, type Span, wrapLine } from "./line.js";
import type { Role } from "./theme.js";

/** A string, or a placeholder, which never equals anything. */
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
  /** The text on the other side of the change. */
  readonly other?: string | undefined;
  /** Whether it begins a change. */
  readonly isFirst?: boolean;
}

const KINDS = {
  equal: { sign: "  ", role: "muted" },
  removed: { sign: "- ", role: "danger" },
  added: { sign: "+ ", role: "success" },
} as const satisfies Record<string, { sign: string; role: Role }>;

/** The characters drawn of a diff. More would be noticeably slow. */
const MAX_DRAWN = 50_000;
const CUT = `(only the first ${countText(MAX_DRAWN)} characters are shown)`;

/**
 * Shows changed lines with some equal ones around them. Changed words are
 * inverse.
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
/** The equal characters shown on each side of a change in a long line. */
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

/**
 * The most edits that are compared. The time grows with the square: 500 take 20
 * ms.
 */
const MAX_EDITS = 500;

/**
 * Compares by the longest common subsequence. Removed items come before their
 * replacement. Returns `undefined` for too many changes.
 */
function compared(
  before: readonly string[],
  after: readonly string[],
): readonly ArrayChange<string>[] | undefined {
  return diffArrays([...before], [...after], { maxEditLength: MAX_EDITS });
}

const CONTEXT = 3;

/** @param isAfter whether the lines follow a change */
function* equalRows(texts: readonly string[], isAfter: boolean, isBefore: boolean): Generator<Row> {
  const head = isAfter ? CONTEXT : 0;
  const end = texts.length - (isBefore ? CONTEXT : 0);
  // The note takes one line, so folding a single line saves nothing.
  const isFolded = end - head > 1;
  for (const [index, text] of texts.entries()) {
    if (isFolded && index === head)
      yield { kind: "equal", text: `… ${countText(end - head)} equal lines …` };
    if (!isFolded || index < head || index >= end)
      yield { kind: "equal", text: withVisibleEnd(text) };
  }
}

/**
 * Yields one side of a change, each line with its counterpart on the other
 * side.
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

/**
 * The least share of equal text to mark changed words rather than the whole
 * line.
 */
const MIN_EQUAL = 0.3;

/** Words that the other text does not have are inverse. */
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
