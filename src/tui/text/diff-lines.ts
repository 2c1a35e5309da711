import type { DiffRow, DiffRows } from "./diff-rows.js";
import { visibleText } from "./graphemes.js";
import { type Line, type Span, wrapLine } from "./line.js";
import type { Range } from "./sequence-diff.js";
import type { Role } from "./theme.js";
import { changedWords } from "./word-diff.js";

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

/** A diff in lines of at most `width` columns. Changed words are inverse. */
export function diffLines({ rows, changes }: DiffRows, width: number): DiffLines {
  const room = Math.max(1, width - 2);
  const lines: Line[] = [];
  const starts = rows.map((row) => {
    const { sign, role } = SIGNS[row.kind];
    const wrapped = wrapLine(spans(row, wordsIn(row), role), room);
    for (const [at, each] of wrapped.entries()) lines.push([{ text: at === 0 ? sign : "  ", role }, ...each]);
    return lines.length - wrapped.length;
  });
  return { lines, changes: changes.map((index) => starts[index] ?? 0) };
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
  let at = 0;
  const add = (to: number, span: Omit<Span, "text">) => {
    if (to > at) found.push({ ...span, text: visibleText(text.slice(at, to)) });
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
