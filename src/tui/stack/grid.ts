import type { VariableEntry } from "../../model/reads/variable-entries.js";
import { memoized } from "../state/memoized.js";
import type { Entries } from "../state/readings.js";
import type { State, View } from "../state/state.js";
import {
  hasMarks,
  type Listed,
  listed,
  listOf,
  selectedEntry,
  withRange,
} from "../table/selection.js";
import { changeData, drawnScreen } from "./screen.js";

/** The table on the screen, with its cursor. */
export interface Grid extends Listed {
  readonly view: View;
  /** The place whose values commands act on. */
  readonly place: number;
  /** The entry under the cursor in that place. */
  readonly entry: VariableEntry | undefined;
  /** Returns the state with a changed view. */
  changeView(change: Partial<View>): State;
}

const grids = memoized<State, Grid>();

/** The table of the drawn screen, or else the list. */
export function gridOf(state: State): Grid {
  return grids(state, [], () => findGrid(state));
}

function findGrid(state: State): Grid {
  const { screen, data } = drawnScreen(state) ?? {};
  const { place, list } = state;
  if (!screen?.table) {
    const change: Grid["changeView"] = (view) => ({ ...state, list: { ...list, ...view } });
    const entry = selectedEntry(state);
    return { ...listOf(state), view: list, place, entry, changeView: change };
  }
  const { places, page, ...table } = screen.table;
  const view = data as View;
  const rows = listed(state, places(state, data), view, page(state, data));
  const at = table.place(state, data);
  return {
    ...rows,
    view,
    place: at,
    entry: cellsOf(rows, at)[rows.row],
    changeView: (change) =>
      changeData(state, screen, (before) => ({ ...(before as View), ...change })),
  };
}

function cellsOf({ table }: Listed, place: number): readonly (VariableEntry | undefined)[] {
  return table.columns.find((column) => column.place === place)?.cells ?? [];
}

/** Why there is no variable under the cursor. */
export function whyNoName(state: State): string | undefined {
  return gridOf(state).name === undefined ? "no variable is selected" : undefined;
}

/**
 * Whether commands act on the marked variables. In the record they don't, since
 * it shows a single one.
 */
export function actsOnMarked({ marks, focus, stack }: State): boolean {
  return hasMarks(marks) && (stack.length > 0 || focus !== "record");
}

export function targetRows(state: State): readonly number[] {
  const grid = gridOf(state);
  if (!actsOnMarked(state)) return [grid.row];
  const { names } = withRange(state.marks, grid);
  return grid.table.names.flatMap((name, row) => (names.has(name) ? [row] : []));
}

export function targetsOf(state: State, place = gridOf(state).place): Entries {
  const cells = cellsOf(gridOf(state), place);
  return targetRows(state).flatMap((row) => cells[row] ?? []);
}
