import type { VariableEntry } from "../../domain/source.js";
import { pageSize } from "../state/layout.js";
import { readingOf } from "../state/reading.js";
import type { List, Marks, State } from "../state/state.js";
import { keepVisible, moveCursor, type Position, scrollList } from "../widgets/list.js";
import { listRows } from "./filter.js";
import { shownValue } from "./shown.js";

/** The variable under the cursor; undefined if the list is empty. */
export function selectedEntry(state: Pick<State, "readings" | "place" | "list">): VariableEntry | undefined {
  const row = state.list.rows[state.list.cursor];
  return row === undefined ? undefined : readingOf(state).entries[row];
}

/**
 * Updates the rows after the list's rules or the entries have changed. The cursor goes to the variable that it is to
 * find, or else stays on its variable, or else on its row.
 */
export function relist(state: State, before: State = state): State {
  const { entries, isComplete, changes } = readingOf(state);
  const rows = listRows(entries, state.list, {
    isChanged: (name) => changes?.kinds.has(name) ?? false,
    textOf: (entry) => {
      const shown = shownValue(entry, state);
      return shown.kind === "shown" ? shown.text : undefined;
    },
  });
  const selected = selectedEntry(before)?.variable.name;
  const wanted = state.list.wanted ?? selected;
  const found = rowOf(wanted, rows, entries);
  const line = found < 0 && wanted !== selected ? rowOf(selected, rows, entries) : found;
  const cursor = Math.max(0, line >= 0 ? line : Math.min(before.list.cursor, rows.length - 1));
  const list = { ...state.list, rows, cursor, wanted: found < 0 ? wanted : undefined };
  // Lines are other variables now.
  const kept = withRange(before);
  const isChanged = isComplete && entries !== readingOf(before).entries;
  const marks = isChanged ? pruned(kept, entries) : kept;
  const next = cursorInView({ ...state, list, marks });
  return selectedEntry(next)?.variable.name === selected ? next : { ...next, recordTop: 0 };
}

/** The line of a variable in the list; -1 if it isn't listed. */
function rowOf(name: string | undefined, rows: readonly number[], entries: readonly VariableEntry[]): number {
  return name === undefined ? -1 : rows.findIndex((row) => entries[row]?.variable.name === name);
}

export function withList(state: State, change: Partial<List>): State {
  return relist({ ...state, list: { ...state.list, ...change } }, state);
}

/** The list while a filter is typed: the cursor goes to the best match. */
export function withTypedFilter(state: State, filter: string): State {
  const next = withList(state, { filter });
  // An empty list, or a filter without matches, keeps the selection.
  if (next.list.rows.length === 0 || filter.trim() === "") return next;
  return { ...next, list: { ...next.list, cursor: 0, top: 0, wanted: undefined }, recordTop: 0 };
}

/** The cursor on a variable, now or as soon as it is listed. Filter and type are removed if they hide it. */
export function withCursorOn(state: State, wanted: string): State {
  const next = withList(state, { wanted });
  return next.list.wanted === undefined ? next : withList(state, { wanted, filter: "", type: undefined });
}

/** Moves the cursor. */
export function moveInList(state: State, key: string): State {
  const { list } = state;
  const moved = moveCursor(list, list.rows.length, pageSize(state, "variables"), key);
  return moved ? withPosition(state, moved) : state;
}

/** Moves the cursor to a row. */
export function selectInList(state: State, cursor: number): State {
  return cursorInView(withPosition(state, { cursor, top: state.list.top }));
}

/** Moves the visible rows, and the cursor only if it would not be one of them. */
export function scrollInList(state: State, by: number): State {
  const { list } = state;
  return withPosition(state, scrollList(list, list.rows.length, pageSize(state, "variables"), by));
}

/** The record of another variable starts at its first line. */
function withPosition(state: State, position: Position): State {
  const recordTop = position.cursor === state.list.cursor ? state.recordTop : 0;
  return { ...state, list: { ...state.list, ...position, wanted: undefined }, recordTop };
}

export function cursorInView(state: State): State {
  const { cursor, top, rows } = state.list;
  const position = keepVisible({ cursor, top }, rows.length, pageSize(state, "variables"));
  const isSame = position.cursor === cursor && position.top === top;
  return isSame ? state : { ...state, list: { ...state.list, ...position } };
}

export const NO_MARKS: Marks = { names: new Set() };

type Marked = Pick<State, "marks" | "list" | "readings" | "place">;

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
function pruned(marks: Marks, entries: readonly VariableEntry[]): Marks {
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

function listedNames(state: Marked, from = 0, to = state.list.rows.length): string[] {
  const { entries } = readingOf(state);
  return state.list.rows.slice(from, to).flatMap((row) => entries[row]?.variable.name ?? []);
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
  if (names.size === 0 || rows.length === readingOf(state).entries.length) return names.size;
  const known = knownCounts.get(rows);
  if (known?.names === names) return known.count;
  const count = listedNames(state).filter((name) => names.has(name)).length;
  knownCounts.set(rows, { names, count });
  return count;
}

/** The variables that a command acts on, in the order of the source: those that are marked, or else the selected one. */
export function targetEntries(state: State): readonly VariableEntry[] {
  if (actsOnMarked(state)) {
    const { names } = withRange(state);
    return readingOf(state).entries.filter(({ variable }) => names.has(variable.name));
  }
  const entry = selectedEntry(state);
  return entry ? [entry] : [];
}

/** Whether a command acts on marked variables instead of the selected one. The record shows one variable. */
export function actsOnMarked({ marks, focus }: Pick<State, "marks" | "focus">): boolean {
  return focus !== "record" && hasMarks(marks);
}
