import type { VariableEntry } from "../../domain/source.js";
import type { Marks, State } from "../state/state.js";

export const NO_MARKS: Marks = { names: new Set() };

type Marked = Pick<State, "marks" | "list" | "loaded">;

/** Whether the variable on a line of the list is marked, or in the open range. */
export function isMarked({ marks, list }: Marked, name: string, line: number): boolean {
  return marks.names.has(name) || isInRange(marks, list.cursor, line);
}

function isInRange({ from }: Marks, cursor: number, line: number): boolean {
  return from !== undefined && Math.min(from, cursor) <= line && line <= Math.max(from, cursor);
}

export function hasMarks({ names, from }: Marks): boolean {
  return names.size > 0 || from !== undefined;
}

/** The marks as they are now: the open range is kept. */
export function withRange(state: Marked): Marks {
  const { marks, list } = state;
  const { from } = marks;
  if (from === undefined) return marks;
  const [first, last] = [Math.min(from, list.cursor), Math.max(from, list.cursor)];
  const names = new Set(marks.names);
  for (const name of listedNames(state, first, last + 1)) names.add(name);
  return { names };
}

/** Without variables that are gone. */
export function pruned(marks: Marks, entries: readonly VariableEntry[]): Marks {
  if (marks.names.size === 0) return marks;
  const names = entries.map(({ variable }) => variable.name).filter((name) => marks.names.has(name));
  return names.length === marks.names.size ? marks : { names: new Set(names) };
}

/** Without these variables. */
export function unmarked(state: Marked, variables: readonly { readonly name: string }[]): Marks {
  const { names } = withRange(state);
  const left = new Set(names);
  for (const { name } of variables) left.delete(name);
  return left.size === names.size ? state.marks : { names: left };
}

export function toggled(state: Marked, name: string): Marks {
  const names = new Set(state.marks.names);
  if (!names.delete(name)) names.add(name);
  return { names };
}

/** Marks the listed rows without a mark, and unmarks the others. */
export function inverted(state: Marked): Marks {
  const names = new Set(withRange(state).names);
  for (const name of listedNames(state)) if (!names.delete(name)) names.add(name);
  return { names };
}

/** Marks all that are listed, or none of them if all are marked already. */
export function allOrNone(state: Marked): Marks {
  const listed = listedNames(state);
  const names = new Set(withRange(state).names);
  const isNone = listed.every((name) => names.has(name));
  for (const name of listed)
    if (isNone) names.delete(name);
    else names.add(name);
  return { names };
}

function listedNames({ list, loaded }: Marked, from = 0, to = list.rows.length): string[] {
  return list.rows.slice(from, to).flatMap((row) => loaded.entries[row]?.variable.name ?? []);
}

/** How many variables are marked, and how many of them are not in the list. */
export function markedCounts(state: Marked): { readonly marked: number; readonly hidden: number } {
  const { names } = withRange(state);
  return { marked: names.size, hidden: names.size - listedCount(state, names) };
}

interface Listed {
  readonly names: ReadonlySet<string>;
  readonly count: number;
}

// Counted once for each change of the list or the marks.
const knownCounts = new WeakMap<readonly number[], Listed>();

function listedCount(state: Marked, names: ReadonlySet<string>): number {
  const { rows } = state.list;
  if (names.size === 0 || rows.length === state.loaded.entries.length) return names.size;
  const known = knownCounts.get(rows);
  if (known?.names === names) return known.count;
  const count = listedNames(state).filter((name) => names.has(name)).length;
  knownCounts.set(rows, { names, count });
  return count;
}
