import type { VariableEntry } from "../../domain/source.js";
import type { Selection, State } from "../state/state.js";

export const NO_SELECTION: Selection = { names: new Set() };

type Marked = Pick<State, "selection" | "list" | "loaded">;

/** Whether the variable on a line of the list is marked, or in the open range. */
export function isMarked({ selection, list }: Marked, name: string, line: number): boolean {
  return selection.names.has(name) || isInRange(selection, list.cursor, line);
}

function isInRange({ from }: Selection, cursor: number, line: number): boolean {
  return from !== undefined && Math.min(from, cursor) <= line && line <= Math.max(from, cursor);
}

export function hasMarks({ names, from }: Selection): boolean {
  return names.size > 0 || from !== undefined;
}

/** The marks as they are now: the open range is kept. */
export function withRange(state: Marked): Selection {
  const { selection, list } = state;
  const { from } = selection;
  if (from === undefined) return selection;
  const [first, last] = [Math.min(from, list.cursor), Math.max(from, list.cursor)];
  const names = new Set(selection.names);
  for (const name of listedNames(state, first, last + 1)) names.add(name);
  return { names };
}

/** Without variables that are gone. */
export function pruned(selection: Selection, entries: readonly VariableEntry[]): Selection {
  if (selection.names.size === 0) return selection;
  const names = entries.map(({ variable }) => variable.name).filter((name) => selection.names.has(name));
  return names.length === selection.names.size ? selection : { names: new Set(names) };
}

/** Without these variables. */
export function unmarked(state: Marked, variables: readonly { readonly name: string }[]): Selection {
  const { names } = withRange(state);
  const left = new Set(names);
  for (const { name } of variables) left.delete(name);
  return left.size === names.size ? state.selection : { names: left };
}

export function toggled(state: Marked, name: string): Selection {
  const names = new Set(state.selection.names);
  if (!names.delete(name)) names.add(name);
  return { names };
}

/** Marks what is listed and wasn't marked, and the other way round. */
export function inverted(state: Marked): Selection {
  const names = new Set(withRange(state).names);
  for (const name of listedNames(state)) if (!names.delete(name)) names.add(name);
  return { names };
}

/** Marks all that are listed, or none of them if all are marked already. */
export function allOrNone(state: Marked): Selection {
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

/** The variables that a command acts on, in the order of the source: those that are marked, or else the selected one. */
export function targetEntries(state: State): readonly VariableEntry[] {
  const { loaded, list } = state;
  if (actsOnMarked(state)) {
    const { names } = withRange(state);
    return loaded.entries.filter(({ variable }) => names.has(variable.name));
  }
  const row = list.rows[list.cursor];
  const entry = row === undefined ? undefined : loaded.entries[row];
  return entry ? [entry] : [];
}

/** Whether a command acts on marked variables instead of the selected one. The record shows one variable. */
export function actsOnMarked({ selection, focus }: Pick<State, "selection" | "focus">): boolean {
  return focus !== "record" && hasMarks(selection);
}
