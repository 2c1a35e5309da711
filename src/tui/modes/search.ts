import { selectedEntry } from "../browse/list.js";
import { editKeyName, type Key } from "../input/key.js";
import { editLine, textField } from "../input/text-field.js";
import { scrollText } from "../state/cursor.js";
import { layoutOf, pageSize, textColumns } from "../state/layout.js";
import { type Step, step } from "../state/messages.js";
import type { Mode } from "../state/modes.js";
import { backToBrowse, type State } from "../state/state.js";
import type { Line } from "../text/line.js";
import { recordLines } from "../view/record-panel.js";
import { foundInRecord, lineOfMatch, matchFrom, type RecordMatches, valueStart } from "../view/record-value.js";

type SearchMode = Extract<Mode, { readonly kind: "search" }>;

/** Searches in the value of the record, which is unfolded for that. */
export function openSearch(state: State): Step {
  const { search, recordTop } = state;
  const name = selectedEntry(state)?.variable.name ?? "";
  const folds = new Map(state.folds);
  folds.delete(name);
  const text = search?.name === name ? search.text : "";
  return step({ ...state, folds, mode: { kind: "search", field: textField(text), before: { search, recordTop } } });
}

/** The record follows the text with each key. */
export function searchKey(state: State, mode: SearchMode, key: Key): Step {
  const { field, before } = mode;
  const name = editKeyName(key);
  if (name === "enter") return step(backToBrowse(state));
  if (name === "escape") return step({ ...backToBrowse(state), ...before });
  if (name === "backspace" && field.text === "") return step({ ...backToBrowse(state), search: undefined });
  const edited = editLine(field, key);
  const next: State = { ...state, mode: { ...mode, field: edited } };
  return step(edited.text === field.text ? next : withSearch(next, edited.text, before.recordTop));
}

/** @param top the first visible line before the search */
function withSearch(state: State, text: string, top: number): State {
  const name = selectedEntry(state)?.variable.name ?? "";
  const searched: State = { ...state, recordTop: top, search: text === "" ? undefined : { name, text, index: 0 } };
  const found = foundInRecord(searched);
  if (!found) return searched;
  const lines = linesOf(searched);
  return withMatchAt(searched, found, matchFrom(found, top - valueStart(found, lines)), lines);
}

/** Goes to another match, from the last to the first again. */
export function goToMatch(state: State, by: 1 | -1): State {
  const found = foundInRecord(state);
  if (!found || found.count === 0) return state;
  return withMatchAt(state, found, (found.index + by + found.count) % found.count, linesOf(state));
}

/** A match that isn't visible is scrolled to the middle. */
function withMatchAt(state: State, found: RecordMatches, index: number, lines: readonly Line[]): State {
  if (!state.search || found.count === 0) return state;
  const next: State = { ...state, search: { ...state.search, index } };
  const page = pageSize(state, "record");
  const line = valueStart(found, lines) + lineOfMatch(found, index);
  if (state.recordTop <= line && line < state.recordTop + page) return next;
  return { ...next, recordTop: scrollText(0, lines.length, page, Math.max(0, line - Math.floor(page / 2))) };
}

function linesOf(state: State): readonly Line[] {
  const { record } = layoutOf(state);
  return record ? recordLines(state, textColumns(record)) : [];
}
