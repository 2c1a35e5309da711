import { isEncrypted } from "../../domain/variable.js";
import { withCursorOn } from "../browse/list.js";
import { openPlace, reload } from "../browse/loading.js";
import { hasKind, matrixRows, ONLY, tableOf } from "../browse/matrix-table.js";
import { readOthers, withoutOthers } from "../browse/others.js";
import { isRevealed, toggleAllRevealed, toggleRevealed } from "../browse/reveal.js";
import { openForm } from "../edit/form.js";
import { confirmRedo, confirmUndo } from "../edit/undo.js";
import { commandKeyName, editKeyName, type Key } from "../input/key.js";
import { editLine, textField } from "../input/text-field.js";
import { openTakeOver } from "../modes/take-over.js";
import { cycled, moveCursor } from "../state/cursor.js";
import type { Effect } from "../state/effects.js";
import { type Step, step } from "../state/messages.js";
import type { Matrix } from "../state/modes.js";
import { backToBrowse, notify, type State } from "../state/state.js";
import { placeName } from "../view/places-panel.js";
import { matrixPosition, withMatrixCursor } from "./position.js";

/** Shows all variables in all places of the group, and reads those that are not open. */
export function openMatrix(state: State, only: Matrix["only"] = "all"): Step {
  const { loaded, list, place } = state;
  const name = loaded.entries[list.rows[list.cursor] ?? -1]?.variable.name ?? "";
  return readOthers({ ...state, mode: { kind: "matrix", name, cursor: 0, place, top: 0, left: 0, only, filter: "" } });
}

export function matrixKey(state: State, matrix: Matrix, key: Key): Step {
  if (matrix.typed) return step(filterKey(state, matrix, matrix.typed, key));
  const [next, effects] = commandOf(state, matrix, commandKeyName(key));
  return [next, [...effects, ...(next.mode.kind === "matrix" ? decryptions(next, next.mode) : [])]];
}

function commandOf(state: State, matrix: Matrix, key: string): Step {
  const { name, place, entry } = selected(state, matrix);
  switch (key) {
    case "escape":
      return step(matrix.filter === "" ? closed(state) : withMatrix(state, matrix, { filter: "" }));
    case "q":
    case "m":
      return step(closed(state));
    case "left":
    case "h":
      return step(moveSideways(state, matrix, -1));
    case "right":
    case "l":
      return step(moveSideways(state, matrix, 1));
    case "n":
      return step(moveToGap(state, matrix, 1));
    case "N":
      return step(moveToGap(state, matrix, -1));
    case "t":
      return step(withMatrix(state, matrix, { only: cycled(ONLY, matrix.only, 1) }));
    case "/":
      return step(withMatrix(state, matrix, { typed: { field: textField(matrix.filter), before: matrix.filter } }));
    case "v":
      return step(name === undefined ? state : toggleRevealed(state, name));
    case "V":
      return step(toggleAllRevealed(state));
    case "r":
      return readAgain(state);
    case "y":
    case ">":
      if (!entry?.value) return step(notify(state, whyNoValue(state, name, place), "error"));
      if (key === ">") return openTakeOver(state, [entry], place);
      return step(state, { type: "copy", place, entries: [entry], format: "value" });
    case "e":
      return edit(state, matrix);
    case "u":
      return confirmUndo(state);
    case "U":
      return confirmRedo(state);
    case "enter":
      return name === undefined ? step(state) : goTo(state, place, name);
    default:
      return step(move(state, matrix, key));
  }
}

/** What is under the cursor. */
function selected(state: State, matrix: Matrix) {
  const { table, rows, cursor, column } = matrixPosition(state, matrix);
  const row = rows[cursor];
  const { place = state.place, cells } = table.columns[column] ?? {};
  return { place, name: table.names[row ?? -1], entry: row === undefined ? undefined : cells?.[row] };
}

function whyNoValue(state: State, name: string | undefined, place: number): string {
  return name === undefined ? "no variable is selected" : `${name} has no value in ${placeName(state, place)}`;
}

/** Opens the form for the value under the cursor, and comes back. */
function edit(state: State, matrix: Matrix): Step {
  const { place, name, entry } = selected(state, matrix);
  const isEditable = place === state.place ? state.loaded.isEditable : state.others.get(place)?.isLocal;
  if (!isEditable) return step(notify(state, `${placeName(state, place)} can't be edited here`, "error"));
  if (!entry) return step(notify(state, whyNoValue(state, name, place), "error"));
  return openForm(state, "edit", entry, { place, back: matrix });
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
  const name = editKeyName(key);
  if (name === "enter") return withMatrix(state, matrix, { typed: undefined });
  if (name === "escape") return withMatrix(state, matrix, { typed: undefined, filter: before });
  if (name === "backspace" && field.text === "") return withMatrix(state, matrix, { typed: undefined });
  if (["up", "down", "pageup", "pagedown"].includes(name)) return move(state, matrix, name);
  const edited = editLine(field, key);
  const next: Matrix = { ...matrix, typed: { field: edited, before }, filter: edited.text };
  if (edited.text === field.text) return { ...state, mode: next };
  const table = tableOf(state);
  const [first = -1] = matrixRows(table, next);
  return { ...state, mode: { ...next, name: table.names[first] ?? matrix.name, cursor: 0, top: 0 } };
}

function readAgain(state: State): Step {
  const [reading, effects] = readOthers(state);
  const [next, more] = reload(reading);
  return [next, [...effects, ...more]];
}

/** Opens the place with the cursor on the variable. */
function goTo(state: State, place: number, name: string): Step {
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
