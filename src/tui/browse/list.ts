import type { VariableEntry } from "../../domain/source.js";
import { keepVisible, moveCursor, type Position, scrollList } from "../state/cursor.js";
import { pageSize } from "../state/layout.js";
import type { List, State } from "../state/state.js";
import { listRows } from "./list-rows.js";
import { pruned, withRange } from "./marks.js";

/** The variable under the cursor; undefined if the list is empty. */
export function selectedEntry({ loaded, list }: Pick<State, "loaded" | "list">): VariableEntry | undefined {
  const row = list.rows[list.cursor];
  return row === undefined ? undefined : loaded.entries[row];
}

/**
 * Updates the rows after the list's rules or the entries have changed. The cursor goes to the variable that it is to
 * find, or else stays on its variable, or else on its row.
 */
export function relist(state: State, before: State = state): State {
  const { entries } = state.loaded;
  const rows = listRows(entries, state.list, (name) => state.recentChanges?.kinds.has(name) ?? false);
  const selected = selectedEntry(before)?.variable.name;
  const wanted = state.list.wanted ?? selected;
  const found = rowOf(wanted, rows, entries);
  const line = found < 0 && wanted !== selected ? rowOf(selected, rows, entries) : found;
  const cursor = Math.max(0, line >= 0 ? line : Math.min(before.list.cursor, rows.length - 1));
  const list = { ...state.list, rows, cursor, wanted: found < 0 ? wanted : undefined };
  // Lines are other variables now.
  const kept = withRange(before);
  const isChanged = state.loaded.isComplete && entries !== before.loaded.entries;
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
