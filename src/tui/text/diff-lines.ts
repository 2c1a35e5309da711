import { changedWords, commonLength, diffSequences, isComparable, type Part, type Range } from "./diff.js";
import { visibleText, withVisibleEnd } from "./graphemes.js";
import { countText, type Line, type Span, wrapLine } from "./line.js";
import type { Role } from "./theme.js";

/** A line of a text in a diff. */
interface DiffRow {
  readonly kind: "equal" | "removed" | "added" | "note";
  readonly text: string;
  /** How much at the start and at the end is not from the text itself: `… 43 equal characters … `, or a placeholder. */
  readonly head: number;
  readonly tail: number;
  /** The removed line that became this one, or the other way round. */
  other: DiffRow | undefined;
}

interface DiffRows {
  readonly rows: readonly DiffRow[];
  /** Indexes of the first row of each change. */
  readonly changes: readonly number[];
}

/** Lines of a text, or a placeholder for them, which is never equal to anything. */
export interface Side {
  readonly texts: readonly string[];
  readonly isPlaceholder: boolean;
}

/** The changed lines, with some equal ones around them. */
export function diffRows(before: Side, after: Side): DiffRows {
  const isText = !before.isPlaceholder && !after.isPlaceholder;
  const { parts, isExact } = isText ? diffSequences(before.texts, after.texts) : replaced(before, after);
  const rows: DiffRow[] = [];
  const changes: number[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.isEqual) {
      const isOnly = parts.length === 1;
      addEqual(rows, before.texts, part.before, isOnly || index > 0, isOnly || index < parts.length - 1);
    } else {
      changes.push(rows.length);
      addChanged(rows, before, part.before, after, part.after);
    }
  }
  const notes = isExact ? [] : ["(too many changes: only the first and the last lines were compared)"];
  if (rows.some(isTooLong)) notes.push("(long lines were not compared word by word)");
  rows.unshift(...notes.map((text) => newRow("note", text)));
  return { rows, changes: changes.map((index) => index + notes.length) };
}

function isTooLong({ text, other }: DiffRow): boolean {
  return other !== undefined && !isComparable(text);
}

/** @param head how much of the start is not from the text itself */
function newRow(kind: DiffRow["kind"], text: string, head = 0, tail = 0): DiffRow {
  return { kind, text, head, tail, other: undefined };
}

function replaced(before: Side, after: Side): { parts: readonly Part[]; isExact: boolean } {
  const all = ({ texts }: Side) => ({ start: 0, end: texts.length });
  return { parts: [{ isEqual: false, before: all(before), after: all(after) }], isExact: true };
}

const CONTEXT = 3;

function addEqual(
  rows: DiffRow[],
  texts: readonly string[],
  { start, end }: Range,
  isAfter: boolean,
  isBefore: boolean,
): void {
  const [head, tail] = [isAfter ? CONTEXT : 0, isBefore ? CONTEXT : 0];
  const left = end - start - head - tail;
  const add = (from: number, to: number) => {
    for (const text of texts.slice(from, to)) rows.push(newRow("equal", text));
  };
  // The note would take as much room as one line.
  if (left <= 1) add(start, end);
  else {
    add(start, start + head);
    rows.push(newRow("note", `… ${countText(left)} equal lines …`));
    add(end - tail, end);
  }
}

/** Adds the removed lines, then the added ones: the first of these was the first of those, and so on. */
function addChanged(rows: DiffRow[], before: Side, old: Range, after: Side, next: Range): void {
  const first = rows.length;
  for (let index = old.start; index < old.end; index++) {
    const text = before.texts[index] as string;
    rows.push(newRow("removed", text, before.isPlaceholder ? text.length : 0));
  }
  const pairs = before.isPlaceholder || after.isPlaceholder ? 0 : old.end - old.start;
  for (let index = next.start; index < next.end; index++) {
    const text = after.texts[index] as string;
    const row = newRow("added", text, after.isPlaceholder ? text.length : 0);
    rows.push(row);
    if (index - next.start < pairs) pair(rows, first + index - next.start, rows.length - 1);
  }
}

/** Of this many equal characters at one end of two lines, only some are shown. */
const LONG = 60;
const KEPT = 20;

function pair(rows: DiffRow[], at: number, nextAt: number): void {
  const [row, nextRow] = [rows[at] as DiffRow, rows[nextAt] as DiffRow];
  const isLong = row.text.length >= LONG && nextRow.text.length >= LONG;
  const [removed, added] = isLong ? withoutEqualEnds(row.text, nextRow.text) : [row, nextRow];
  [rows[at], rows[nextAt]] = [removed, added];
  [removed.other, added.other] = [added, removed];
}

function withoutEqualEnds(before: string, after: string): [removed: DiffRow, added: DiffRow] {
  const [length, nextLength] = [before.length, after.length];
  const equalHead = commonLength(length, nextLength, (at) => before.charCodeAt(at) === after.charCodeAt(at));
  const equalTail = commonLength(
    length - equalHead,
    nextLength - equalHead,
    (at) => before.charCodeAt(length - 1 - at) === after.charCodeAt(nextLength - 1 - at),
  );
  const from = equalHead < LONG ? 0 : cutAt(before, equalHead - KEPT);
  const to = equalTail < LONG ? length : cutAt(before, length - equalTail + KEPT);
  const head = from === 0 ? "" : `… ${countText(from)} equal characters … `;
  const tail = to === length ? "" : ` … ${countText(length - to)} equal characters …`;
  const row = (kind: DiffRow["kind"], text: string, end: number) =>
    newRow(kind, `${head}${text.slice(from, end)}${tail}`, head.length, tail.length);
  return [row("removed", before, to), row("added", after, nextLength - (length - to))];
}

/** Parts of the character before them: combining marks, joiners and second halves of surrogate pairs. */
const JOINED = /\p{M}|\u200d|[\udc00-\udfff]/u;
const MAX_JOINED = 12;

/** The nearest index from this one on that is not within a character. */
function cutAt(text: string, index: number): number {
  let at = index;
  const isWithin = () => JOINED.test(text.charAt(at)) || text.charAt(at - 1) === "\u200d";
  while (at < text.length && at - index < MAX_JOINED && isWithin()) at++;
  return at;
}

export interface DiffLines {
  readonly lines: readonly Line[];
  /** The first line of each change. */
  readonly changes: readonly number[];
}

const SIGNS: Readonly<Record<DiffRow["kind"], { sign: string; role: Role }>> = {
  equal: { sign: "  ", role: "muted" },
  note: { sign: "  ", role: "muted" },
  removed: { sign: "- ", role: "danger" },
  added: { sign: "+ ", role: "success" },
};

/** Characters of a diff that are drawn: more take noticeably long. */
const MAX_DRAWN = 50_000;
const CUT = `(only the first ${countText(MAX_DRAWN)} characters are shown)`;

/** A diff in lines of at most `width` columns. Changed words are inverse. */
export function diffLines({ rows, changes }: DiffRows, width: number): DiffLines {
  const room = Math.max(1, width - 2);
  const lines: Line[] = [];
  let left = MAX_DRAWN;
  const starts = rows.map((row) => {
    const start = lines.length;
    if (left > 0) lines.push(...rowLines(cutRow(row, left), room));
    left -= row.text.length;
    return start;
  });
  const end = left < 0 ? rowLines(newRow("note", CUT), room) : [];
  return { lines: [...lines, ...end], changes: changes.map((index) => starts[index] ?? 0) };
}

function cutRow(row: DiffRow, length: number): DiffRow {
  return row.text.length > length ? { ...row, text: row.text.slice(0, length), tail: 0 } : row;
}

function rowLines(row: DiffRow, room: number): Line[] {
  const { sign, role } = SIGNS[row.kind];
  return wrapLine(spans(row, wordsIn(row), role), room).map((each, at): Line => {
    return [{ text: at === 0 ? sign : "  ", role }, ...each];
  });
}

/** The changed words of a line that was changed to another. */
function wordsIn(row: DiffRow): readonly Range[] {
  const { other, kind, head } = row;
  if (!other) return [];
  const isOld = kind === "removed";
  const { before, after } = isOld
    ? changedWords(ownText(row), ownText(other))
    : changedWords(ownText(other), ownText(row));
  return (isOld ? before : after).map(({ start, end }) => ({ start: start + head, end: end + head }));
}

function ownText({ text, head, tail }: DiffRow): string {
  return text.slice(head, text.length - tail);
}

/** The text of a row, with the marks of its changed words. */
function spans({ text, head, tail }: DiffRow, words: readonly Range[], role: Role): Span[] {
  const found: Span[] = [];
  const shown = withVisibleEnd(text);
  let at = 0;
  const add = (to: number, span: Omit<Span, "text">) => {
    if (to > at) found.push({ ...span, text: visibleText(shown.slice(at, to)) });
    at = to;
  };
  add(head, { role: "muted" });
  for (const { start, end } of words) {
    add(start, { role });
    add(end, { role, isInverse: true });
  }
  add(text.length - tail, { role });
  add(text.length, { role: "muted" });
  return found;
}
