import type { HistoryEntry } from "../../model/variable-change.js";
import { MAX_HISTORY_ENTRIES } from "../reading/changes.js";
import { gridOf } from "../stack/grid.js";
import { isOnPlaces } from "../stack/screen.js";
import { blockingEffect } from "../state/effects.js";
import { placeName, whyReadOnly } from "../state/places.js";
import { type Next, notify, type State, type Tools } from "../state/state.js";
import { inPlaces } from "./planning.js";
import { review } from "./review.js";

/**
 * The place under the cursor in the list of places, otherwise the place of
 * the table.
 */
export function historyPlace(state: State): number {
  return isOnPlaces(state) ? state.placeCursor : gridOf(state).place;
}

export const undo: Next = (state) => undoOrRedo(state, "undo");

export const redo: Next = (state) => undoOrRedo(state, "redo");

function undoOrRedo(state: State, purpose: "undo" | "redo"): State {
  const place = historyPlace(state);
  return blockingEffect(state, async ({ places }) => {
    const { history } = await places.open(place);
    const last = await history?.undo(isNextTo(purpose));
    if (!last) return (now) => notify(now, `nothing to ${purpose}`, "error");
    const { entry, changes } = last;
    const parts = inPlaces(state, place, changes);
    const [first] = changes;
    if (parts.length === 0)
      return (now) =>
        notify(now, `change ${entry.id} is in ${first?.environment}, which is not open`, "error");
    const hasMore = entry.hasMore || parts.length < changes.length;
    return (now) => review(now, { purpose, parts, entry: { ...entry, hasMore } });
  });
}

/**
 * Returns a predicate for the entry to undo or redo next, to call for every
 * entry, newest first.
 */
function isNextTo(purpose: "undo" | "redo"): (entry: HistoryEntry) => boolean {
  const takenBack = new Set<number>();
  let isEdited = false;
  return ({ id, command, parts }) => {
    const isOver = takenBack.has(id);
    const [, kind, other] = /^(undo|redo) (\d+)$/.exec(command) ?? [];
    if (other !== undefined && !isOver) takenBack.add(Number(other));
    if (isOver || parts.length === 0) return false;
    isEdited ||= kind === undefined;
    return purpose === "undo" ? kind === undefined : kind === "undo" && !isEdited;
  };
}

export function whyNoUndo(state: State): string | undefined {
  return whyNoHistory(state) ?? whyReadOnly(state, historyPlace(state));
}

/**
 * Returns why the place can't have a history, judged by the list of places
 * alone.
 */
export function whyNoHistory(state: State): string | undefined {
  const { isServer, isLocked, readOnly } = state.places[historyPlace(state)] ?? {};
  return isServer ? "servers provide no history" : isLocked ? readOnly : undefined;
}

/**
 * The changes of a place, newest first.
 *
 * @param name only changes of this variable, under all names that it has had
 */
export async function readPlaceHistory(
  { places }: Tools,
  place: number,
  name?: string,
): Promise<readonly HistoryEntry[]> {
  const { history, editor } = await places.open(place);
  const names = new Set([name]);
  const entries: HistoryEntry[] = [];
  const isWanted = (entry: HistoryEntry) => {
    const own = entry.parts.filter(({ environment }) => environment === editor?.environment);
    const parts = own.flatMap(({ environment, changes: all }) => {
      const changes =
        name === undefined ? all : all.filter((each) => names.has(each.newName ?? each.name));
      for (const each of changes) names.add(each.name);
      return changes.length > 0 ? { environment, changes } : [];
    });
    if (parts.length > 0) entries.push({ ...entry, parts });
    return parts.length > 0;
  };
  await history?.read(isWanted, MAX_HISTORY_ENTRIES);
  return entries;
}

/**
 * Asks to restore the state before an entry.
 *
 * @param name only restore this variable
 */
export function rollbackTo(state: State, entry: HistoryEntry, place: number, name?: string): State {
  return blockingEffect(state, async ({ places }) => {
    const { history } = await places.open(place);
    const changes = (await history?.rollBack(entry.id, name)) ?? [];
    return (now) => {
      const parts = inPlaces(now, place, changes);
      const emptyMessage = `nothing to roll back in ${placeName(now, place)}: shared names and rules are not rolled back`;
      if (parts.length === 0) return notify(now, emptyMessage);
      return review(now, { purpose: "rollback", parts, entry });
    };
  });
}
