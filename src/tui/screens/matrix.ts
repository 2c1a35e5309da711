import type { VariableEntry } from "../../domain/source.js";
import { isEncrypted } from "../../domain/variable.js";
import { openForm } from "../edit/form.js";
import { confirmRedo, confirmUndo, whyNoRedo, whyNoUndo } from "../edit/review.js";
import { openPlace, reload } from "../reading/loading.js";
import { hasKind, matrixRows, ONLY, tableOf } from "../reading/matrix-table.js";
import { readOthers, withoutOthers } from "../reading/others.js";
import { isRevealed, toggleAllRevealed, toggleRevealed } from "../reading/reveal.js";
import { selectedEntry, withCursorOn } from "../reading/selection.js";
import { type ModeKey, runKey } from "../state/command.js";
import type { Effect } from "../state/effects.js";
import { type Step, step } from "../state/messages.js";
import type { Matrix } from "../state/modes.js";
import { placeName } from "../state/places.js";
import { backToBrowse, notify, type State } from "../state/state.js";
import { filterKeyed } from "../widgets/filter.js";
import { commandKeyName, type Key } from "../widgets/key.js";
import { cycled, moveCursor } from "../widgets/list.js";
import { textField } from "../widgets/text-field.js";
import { openCommandLine } from "./command-line.js";
import { openHelp } from "./help.js";
import { matrixPosition, withMatrixCursor } from "./matrix-panel.js";
import { openTakeOver } from "./places.js";

/** Shows all variables in all places of the group, and reads those that are not open. */
export function openMatrix(state: State, only: Matrix["only"] = "all"): Step {
  const { place } = state;
  const name = selectedEntry(state)?.variable.name ?? "";
  return readOthers({ ...state, mode: { kind: "matrix", name, cursor: 0, place, top: 0, left: 0, only, filter: "" } });
}

export function matrixKey(state: State, matrix: Matrix, key: Key): Step {
  if (matrix.typed) return step(filterKey(state, matrix, matrix.typed, key));
  const name = commandKeyName(key);
  const [next, effects] = runKey(MATRIX_KEYS, state, matrix, name) ?? step(move(state, matrix, name));
  return [next, [...effects, ...(next.mode.kind === "matrix" ? decryptions(next, next.mode) : [])]];
}

/** In the order of the footer. */
export const MATRIX_KEYS: readonly ModeKey<Matrix>[] = [
  {
    keys: "enter",
    help: "open the place with the cursor on this variable",
    label: "open",
    whyNot: whyNoName,
    run: goTo,
  },
  {
    keys: "n",
    help: "go to the next variable that differs or is missing",
    label: "next difference",
    whyNot: whyNoName,
    run: (state, matrix) => step(moveToGap(state, matrix, 1)),
  },
  {
    keys: "N",
    help: "go to the previous one",
    whyNot: whyNoName,
    run: (state, matrix) => step(moveToGap(state, matrix, -1)),
  },
  {
    keys: "t",
    help: "show only variables that differ, then only missing ones, then all",
    label: "filter rows",
    run: (state, matrix) => step(withMatrix(state, matrix, { only: cycled(ONLY, matrix.only, 1) })),
  },
  { keys: "/", help: "search names", label: "filter", run: openFilter },
  {
    keys: "v",
    help: "show the values of this variable for 30 seconds, or mask them again",
    label: "reveal",
    whyNot: whyNoName,
    run: (state, matrix) => step(toggleRevealed(state, selected(state, matrix).name ?? "")),
  },
  {
    keys: "y",
    help: "copy the value under the cursor",
    label: "copy",
    whyNot: whyNoValue,
    run: onEntry((state, entry, place) => step(state, { type: "copy", place, entries: [entry], format: "value" })),
  },
  {
    keys: "e",
    help: "edit the value under the cursor",
    label: "edit",
    whyNot: whyNotEdit,
    run: onEntry((state, entry, place, back) => openForm(state, "edit", entry, { place, back })),
  },
  {
    keys: ">",
    help: "give this variable the same value in another place",
    label: "take over",
    whyNot: whyNoValue,
    run: onEntry((state, entry, place) => openTakeOver(state, [entry], place)),
  },
  {
    keys: "V",
    help: "show all values for a minute, or mask them again",
    label: "reveal all",
    run: (state) => step(toggleAllRevealed(state)),
  },
  { keys: "u", help: "undo the last edit", label: "undo", whyNot: whyNoUndo, run: confirmUndo },
  { keys: "U", help: "redo the edit that was undone last", whyNot: whyNoRedo, run: confirmRedo },
  { keys: "r", help: "read all places again", label: "refresh", run: readAgain },
  {
    keys: "left h",
    help: "go to the place to the left",
    run: (state, matrix) => step(moveSideways(state, matrix, -1)),
  },
  {
    keys: "right l",
    help: "go to the place to the right",
    run: (state, matrix) => step(moveSideways(state, matrix, 1)),
  },
  { keys: "q m", help: "close the matrix", run: (state) => step(closed(state)) },
  { keys: "?", help: "show these keys", run: (state) => openHelp(state, MATRIX_KEYS) },
  { keys: ":", help: "type a command, which acts on the list of variables", run: (state) => openCommandLine(state) },
  { keys: "escape", help: "remove the filter, or close the matrix", label: "back", run: goBack },
];

function openFilter(state: State, matrix: Matrix): Step {
  const { filter } = matrix;
  return step(withMatrix(state, matrix, { typed: { field: textField(filter), before: filter } }));
}

function goBack(state: State, matrix: Matrix): Step {
  return step(matrix.filter === "" ? closed(state) : withMatrix(state, matrix, { filter: "" }));
}

function withMatrix(state: State, matrix: Matrix, change: Partial<Matrix>): State {
  return { ...state, mode: { ...matrix, ...change } };
}

function closed(state: State): State {
  return withoutOthers(backToBrowse(state));
}

function move(state: State, matrix: Matrix, key: string): State {
  const { rows, page, ...at } = matrixPosition(state, matrix);
  const moved = moveCursor(at, rows.length, page, key);
  return moved ? withMatrixCursor(state, matrix, moved) : state;
}

function moveSideways(state: State, matrix: Matrix, by: number): State {
  return withMatrixCursor(state, matrix, { column: matrixPosition(state, matrix).column + by });
}

/** Moves to the next row in which a value differs or is missing. */
function moveToGap(state: State, matrix: Matrix, by: 1 | -1): State {
  const { table, rows, cursor } = matrixPosition(state, matrix);
  const isGap = (index: number) => hasKind(table, rows[index] ?? -1, ["differs", "missing"]);
  let next = cursor + by;
  while (next >= 0 && next < rows.length && !isGap(next)) next += by;
  if (rows[next] === undefined) return notify(state, `no ${by > 0 ? "more" : "earlier"} differences`);
  return withMatrixCursor(state, matrix, { cursor: next });
}

/** The rows follow the filter with each key. */
function filterKey(state: State, matrix: Matrix, { field, before }: NonNullable<Matrix["typed"]>, key: Key): State {
  return filterKeyed(field, key, {
    keep: () => withMatrix(state, matrix, { typed: undefined }),
    restore: () => withMatrix(state, matrix, { typed: undefined, filter: before }),
    move: (name) => move(state, matrix, name),
    edit: (edited, isChanged) => {
      const next: Matrix = { ...matrix, typed: { field: edited, before }, filter: edited.text };
      if (!isChanged) return { ...state, mode: next };
      const table = tableOf(state);
      const [first = -1] = matrixRows(table, next);
      return { ...state, mode: { ...next, name: table.names[first] ?? matrix.name, cursor: 0, top: 0 } };
    },
  });
}

function readAgain(state: State): Step {
  const [reading, effects] = readOthers(state);
  const [next, more] = reload(reading);
  return [next, [...effects, ...more]];
}

/** Opens the place with the cursor on the variable. */
function goTo(state: State, matrix: Matrix): Step {
  const { place, name = "" } = selected(state, matrix);
  const browsing = withCursorOn({ ...closed(state), focus: "variables" }, name);
  return place === state.place ? step(browsing) : openPlace(browsing, place);
}

/** Decrypts the encrypted values of the row under the cursor if they are revealed. */
function decryptions(state: State, matrix: Matrix): Effect[] {
  const { revealed } = state;
  if (!revealed) return [];
  const { table, rows, cursor } = matrixPosition(state, matrix);
  const row = rows[cursor] ?? -1;
  if (!isRevealed(revealed, table.names[row] ?? "")) return [];
  return table.columns.flatMap(({ place, cells }): Effect[] => {
    const entry = cells[row];
    const sealed = entry?.value?.content.value;
    return entry && isEncrypted(sealed) && !revealed.decrypted.has(sealed) ? [{ type: "decrypt", entry, place }] : [];
  });
}

/** The cell under the cursor. */
function selected(state: State, matrix: Matrix) {
  const { table, rows, cursor, column } = matrixPosition(state, matrix);
  const row = rows[cursor];
  const { place = state.place, cells } = table.columns[column] ?? {};
  return { place, name: table.names[row ?? -1], entry: row === undefined ? undefined : cells?.[row] };
}

/** Runs something with the variable under the cursor, and the index of its place. */
function onEntry(
  run: (state: State, entry: VariableEntry, place: number, matrix: Matrix) => Step,
): ModeKey<Matrix>["run"] {
  return (state, matrix) => {
    const { entry, place } = selected(state, matrix);
    return entry ? run(state, entry, place, matrix) : step(state);
  };
}

function whyNoName(state: State, matrix: Matrix): string | undefined {
  return selected(state, matrix).name === undefined ? "no variable is selected" : undefined;
}

function whyNoValue(state: State, matrix: Matrix): string | undefined {
  const { place, name, entry } = selected(state, matrix);
  if (entry?.value) return undefined;
  return name === undefined ? "no variable is selected" : `${name} has no value in ${placeName(state, place)}`;
}

/** A variable without a value can be edited. */
function whyNotEdit(state: State, matrix: Matrix): string | undefined {
  const { place, entry } = selected(state, matrix);
  const isEditable = place === state.place ? state.loaded.isEditable : state.others.get(place)?.isLocal;
  if (!isEditable) return `${placeName(state, place)} can't be edited here`;
  return entry ? undefined : whyNoValue(state, matrix);
}
