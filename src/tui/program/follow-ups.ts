import { leaveOthers } from "../reading/polling.js";
import { gridOf } from "../stack/grid.js";
import { topScreen } from "../stack/screen.js";
import { withEffects } from "../state/effects.js";
import { withReading } from "../state/places.js";
import type { Effect, State } from "../state/state.js";
import { decryptions, expireRevealed } from "../table/reveal.js";
import { withRange } from "../table/selection.js";

/**
 * Runs after every change: cancels reads whose results are not needed, updates
 * the table, and decrypts revealed values.
 */
export function withFollowUps(before: State, changed: State): State {
  const isEntered =
    changed.stack.length > 0 && topScreen(changed)?.screen !== topScreen(before)?.screen;
  // An older notice would hide the keys of the new screen.
  const shown: State =
    isEntered && changed.notice === before.notice ? { ...changed, notice: undefined } : changed;
  const state = leaveOthers(before, syncTable(before, shown));
  return withEffects(state, ...newDecryptions(before, state));
}

/**
 * Closes an open range when the rows change, and scrolls the record to its
 * start for another variable.
 */
function syncTable(before: State, state: State): State {
  const [was, is] = [gridOf(before), gridOf(state)];
  const isOpen = state.marks.from !== undefined && was.rows !== is.rows;
  const marks = isOpen ? withRange(state.marks, was) : state.marks;
  const recordTop = was.name === is.name ? state.recordTop : 0;
  return marks === state.marks && recordTop === state.recordTop
    ? state
    : { ...state, marks, recordTop };
}

function newDecryptions(before: State, state: State): readonly Effect[] {
  const [was, is] = [gridOf(before), gridOf(state)];
  const isSame =
    was.name === is.name &&
    was.table === is.table &&
    before.revealed?.names === state.revealed?.names;
  return isSame
    ? []
    : is.table.columns.flatMap(({ place, cells }) => decryptions(state, place, cells[is.row]));
}

/**
 * Removes what was shown only for a time: notices, revealed values and marks of
 * changes.
 */
export function expire(state: State): State {
  const isOver = (item: { until: number } | undefined) =>
    item !== undefined && item.until <= state.now;
  const over = [...state.readings].filter(([, { changes }]) => isOver(changes));
  const next = over.reduce(
    (now, [place]) => withReading(now, place, { changes: undefined }),
    state,
  );
  const notice = isOver(state.notice) ? undefined : state.notice;
  return { ...expireRevealed(next), notice };
}
