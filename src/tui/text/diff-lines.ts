import { cutAt, type DiffRow, type DiffRows } from "./diff-rows.js";
import { visibleText } from "./graphemes.js";
import { indexAt, type LazyLines, startsOf } from "./lazy-lines.js";
import { type Line, type Span, wrapLine } from "./line.js";
import type { Range } from "./sequence-diff.js";
import type { Role } from "./theme.js";
import { changedWords } from "./word-diff.js";

export interface DiffLines {
  readonly lines: LazyLines;
  /** The first item of each change. */
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
  const starts = startsOf(rows, ({ text }) => Math.max(1, Math.ceil(text.length / room)));
  const words = new Map<DiffRow, readonly Range[]>();
  return {
    changes: changes.map((index) => starts[index] as number),
    lines: {
      count: starts.at(-1) ?? 0,
      at: (index) => {
        const number = indexAt(starts, index);
        const row = rows[number] as DiffRow;
        const piece = index - (starts[number] as number);
        const { sign, role } = SIGNS[row.kind];
        const range = { start: pieceStart(row.text, piece * room), end: pieceStart(row.text, (piece + 1) * room) };
        return wrapLine(spans(row, range, wordsIn(row), role), room).map((line, at): Line => {
          return [{ text: piece === 0 && at === 0 ? sign : "  ", role }, ...line];
        });
      },
    },
  };

  function wordsIn(row: DiffRow): readonly Range[] {
    const { other } = row;
    if (!other) return [];
    const known = words.get(row);
    if (known) return known;
    const [before, after] = row.kind === "removed" ? [row, other] : [other, row];
    const changed = changedWords(ownText(before), ownText(after));
    const shifted = (ranges: readonly Range[]) =>
      ranges.map(({ start, end }) => ({ start: start + row.head, end: end + row.head }));
    words.set(before, shifted(changed.before));
    words.set(after, shifted(changed.after));
    return words.get(row) ?? [];
  }
}

function ownText({ text, head, tail }: DiffRow): string {
  return text.slice(head, text.length - tail);
}

function pieceStart(text: string, index: number): number {
  return index === 0 ? 0 : cutAt(text, Math.min(text.length, index));
}

/** A piece of a row, with the marks of its changed words. */
function spans({ text, head, tail }: DiffRow, { start, end }: Range, words: readonly Range[], role: Role): Span[] {
  const marks: { range: Range; span: Omit<Span, "text"> }[] = [
    { range: { start: 0, end: head }, span: { role: "muted" } },
    ...words.map((range) => ({ range, span: { role, isInverse: true } })),
    { range: { start: text.length - tail, end: text.length }, span: { role: "muted" } },
  ];
  const found: Span[] = [];
  let at = start;
  const add = (to: number, span: Omit<Span, "text">) => {
    const limit = Math.min(to, end);
    if (limit > at) found.push({ ...span, text: visibleText(text.slice(at, limit)) });
    at = Math.max(at, limit);
  };
  for (const { range, span } of marks) {
    if (range.end <= start || range.start >= end) continue;
    add(range.start, { role });
    add(range.end, span);
  }
  add(end, { role });
  return found;
}
