import type { VariableEntry } from "../../model/reads/variable-entries.js";
import { pageSize } from "../state/layout.js";
import { memoized } from "../state/memoized.js";
import type { Marks, State, View } from "../state/state.js";
import { keepVisible, type Position } from "../widgets/list.js";
import { rowsOf } from "./filter.js";
import { type Table, tableOf } from "./table.js";

/** A table with its listed rows, to which the position refers. */
export interface Listed extends Position {
  readonly table: Table;
  readonly rows: readonly number[];
  /** The number of visible rows. */
  readonly page: number;
  /**
   * The row under the cursor and its variable, or -1 and `undefined` if nothing
   * is listed.
   */
  readonly row: number;
  readonly name: string | undefined;
}

export function listed(state: State, places: readonly number[], view: View, page: number): Listed {
  const table = tableOf(state, places);
  const rows = rowsOf(state, table, view);
  const position = keepVisible(
    { cursor: cursorOf(table, rows, view), top: view.top },
    rows.length,
    page,
  );
  const row = rows[position.cursor] ?? -1;
  return { table, rows, page, ...position, row, name: table.names[row] };
}

/**
 * The line of the selected variable, or the previous cursor if it isn't listed.
 */
function cursorOf({ names }: Table, rows: readonly number[], { name, cursor }: View): number {
  const isAt = (row: number | undefined) => row !== undefined && names[row] === name;
  if (name === "" || isAt(rows[cursor])) return cursor;
  const at = rows.findIndex(isAt);
  return at < 0 ? cursor : at;
}

const lists = memoized<State, Listed>();

export function listOf(state: State): Listed {
  return lists(state, [], () =>
    listed(state, [state.place], state.list, pageSize(state, "variables")),
  );
}

/** The variable under the cursor of the list. */
export function selectedEntry(state: State): VariableEntry | undefined {
  const { table, row } = listOf(state);
  return table.columns[0]?.cells[row];
}

/**
 * Moves the cursor to a variable. Removes the filter and the type if they hide
 * it.
 */
export function withCursorOn(state: State, name: string): State {
  const next = { ...state, list: { ...state.list, name } };
  return listOf(next).name === name
    ? next
    : { ...next, list: { ...next.list, filter: "", rowFilter: undefined } };
}

/** Whether a variable is marked, or in the open range. */
export function isMarked(
  { names, from }: Marks,
  { cursor }: Listed,
  name: string,
  line: number,
): boolean {
  return (
    names.has(name) ||
    (from !== undefined && Math.min(from, cursor) <= line && line <= Math.max(from, cursor))
  );
}

export function hasMarks({ names, from }: Marks): boolean {
  return names.size > 0 || from !== undefined;
}

/** Closes the open range, and marks its variables. */
export function withRange(marks: Marks, at: Listed): Marks {
  const { names, from } = marks;
  if (from === undefined) return marks;
  const range = namesOf(at, Math.min(from, at.cursor), Math.max(from, at.cursor) + 1);
  return { names: new Set([...names, ...range]) };
}

export function unmarked({ marks }: State, variables: readonly { readonly name: string }[]): Marks {
  const names = new Set(marks.names);
  for (const { name } of variables) names.delete(name);
  return names.size === marks.names.size ? marks : { ...marks, names };
}

export function toggled(marks: Marks, changed: readonly string[]): Marks {
  const names = new Set(marks.names);
  for (const name of changed) if (!names.delete(name)) names.add(name);
  return { names };
}

export function allOrNone(marks: Marks, at: Listed): Marks {
  const all = namesOf(at);
  const missing = all.filter((name) => !marks.names.has(name));
  return toggled(marks, missing.length > 0 ? missing : all);
}

export function namesOf({ table, rows }: Listed, from = 0, to = rows.length): string[] {
  return rows.slice(from, to).flatMap((row) => table.names[row] ?? []);
}

export function hiddenMarks({ names }: Marks, { table, rows }: Listed): number {
  if (names.size === 0) return 0;
  return rows.reduce(
    (left, row) => (names.has(table.names[row] ?? "") ? left - 1 : left),
    names.size,
  );
}
