import type { VariableEntry } from "../../domain/source.js";
import { VARIABLE_TYPES } from "../../domain/variable.js";
import { lookUpChanges } from "../reading/changes.js";
import { withRange } from "../reading/selection.js";
import { openDiff } from "../screens/diff.js";
import { openMatrix } from "../screens/matrix.js";
import { choiceMenu, openMenu } from "../screens/menu.js";
import { otherPlaceChoices } from "../screens/places.js";
import type { Choice, Command } from "../state/command.js";
import { placeName, whyReadOnly } from "../state/places.js";
import { groupOf, readingOf } from "../state/reading.js";
import { notify, SORTS, type Sort, type State, type Step, type View } from "../state/state.js";
import { step } from "../state/work.js";
import { actsOnMarked, gridOf, selectionOf, targetsOf, whyNoName } from "../view/screen.js";
import { cycled } from "../widgets/list.js";

const TYPES: readonly View["only"][] = [undefined, ...VARIABLE_TYPES];

function only(state: State, type: View["only"]): Step {
  return step({ ...state, list: { ...state.list, only: type } });
}

export const TYPE_CHOICES: readonly Choice[] = TYPES.map((type) => ({
  label: type?.toLowerCase() ?? "all",
  help: type ? `only ${type} variables` : "variables of all types",
  run: (state) => only(state, type),
}));

export function nextType(state: State): Step {
  return only(state, cycled(TYPES, state.list.only, 1));
}

const SORT_HELP: Readonly<Record<Sort, string>> = {
  ...{ id: "the order of the source", name: "by name", type: "by type" },
  changed: "by last change, the newest first",
};

/** A server tells no changes. */
function sortsOf({ places, place }: State): readonly Sort[] {
  return SORTS.filter((sort) => sort !== "changed" || !places[place]?.isReadOnly);
}

function sortBy(state: State, sort: Sort): Step {
  const work = sort === "changed" ? [lookUpChanges(state.place)] : [];
  return step(gridOf(state).with({ sort }), ...work);
}

export function sortChoices(state: State): readonly Choice[] {
  return sortsOf(state).map((sort) => ({
    ...{ label: sort, help: SORT_HELP[sort] },
    run: (now) => sortBy(now, sort),
  }));
}

export function nextSort(state: State): Step {
  return sortBy(state, cycled(sortsOf(state), gridOf(state).view.sort, 1));
}

export function reverseSort(state: State): Step {
  const { view, ...grid } = gridOf(state);
  return step(grid.with({ isReversed: !view.isReversed }));
}

export const MATRIX_CHOICES: readonly Choice[] = ([undefined, "differing", "missing"] as const).map((rows) => ({
  ...{ label: rows ?? "all", run: (state) => openMatrix(state, rows) },
}));

/** Compares with the place under the cursor, or else lets the person pick one. */
export function diffSelected(state: State): Step {
  const { focus, place, placeCursor } = state;
  if (focus === "places" && placeCursor !== place) return openDiff(state, placeCursor);
  const choices = otherPlaceChoices(state, openDiff);
  if (choices.length === 1 && choices[0]) return choices[0].run(state);
  return openMenu(state, choiceMenu(`Compare ${placeName(state, place)} with`, choices, "compare"));
}

/** Actions on the variable under the cursor aren't offered where another one may seem to be meant. */
export const ON_VARIABLE = { where: ["variables", "record"] } as const;

/** Where a table of variables has the cursor. */
export const IN_TABLE = { where: ["variables", "matrix", "diff"] } as const;

/** The same where a variable is compared. */
export const ON_SELECTED = { where: ["variables", "record", "matrix", "diff"] } as const;

/** A command for the variable under the cursor. */
export function onEntry(run: (state: State, entry: VariableEntry, place: number) => Step): Command["run"] {
  return (state) => {
    const { entry, place } = selectionOf(state);
    return entry ? run(state, entry, place) : step(state);
  };
}

const NO_TARGET = "none of the marked variables is in this place";

/** A command for the marked variables, or else the one under the cursor. */
export function onTargets(run: (state: State, entries: readonly VariableEntry[]) => Step): Command["run"] {
  return (before) => {
    const state = { ...before, marks: withRange(before.marks, gridOf(before)) };
    const entries = targetsOf(state);
    return entries.length > 0 ? run(state, entries) : step(notify(state, NO_TARGET, "error"));
  };
}

/** Why there is no variable under the cursor, which has a value or not. */
export function whyNoEntry(state: State): string | undefined {
  const { name = "", entry, place } = selectionOf(state);
  return whyNoName(state) ?? (entry ? undefined : `${name} has no value in ${placeName(state, place)}`);
}

function whyNoValue(state: State): string | undefined {
  const { name = "", entry, place } = selectionOf(state);
  if (entry?.value) return undefined;
  const isInList = state.stack.length === 0;
  if (isInList && !readingOf(state).isComplete) return whyNoName(state) ?? "still reading";
  return whyNoName(state) ?? `${name} has no value ${isInList ? "here" : `in ${placeName(state, place)}`}`;
}

/** Why nothing can be revealed: on a screen, another value of the variable may be. */
export function whyNoReveal(state: State): string | undefined {
  return groupOf(state).length > 1 ? whyNoName(state) : whyNoValue(state);
}

export function whyNotRead(state: State): string | undefined {
  const { isComplete, isReading } = readingOf(state);
  if (isComplete) return undefined;
  return isReading ? "still reading" : "the variables can't be read";
}

export function whyNotEdit(state: State): string | undefined {
  if (state.stack.length > 0) return whyReadOnly(state, selectionOf(state).place);
  return whyReadOnly(state, state.place) ?? whyNotRead(state);
}

export function whyNoEnvironments(state: State): string | undefined {
  return state.places[state.place]?.isReadOnly
    ? "the environments of a server can't be changed here"
    : whyNotRead(state);
}

export function whyNoOther({ places }: State): string | undefined {
  return places.length > 1 ? undefined : "there is no other place to compare with";
}

export function whyNoTarget(state: State): string | undefined {
  return actsOnMarked(state) ? undefined : whyNoEntry(state);
}

export function whyNoTargetValue(state: State): string | undefined {
  return actsOnMarked(state) ? undefined : whyNoValue(state);
}

/** A label for the footer on screens over the list. */
export function ifOpen(label: string): Command["label"] {
  return ({ stack }) => (stack.length > 0 ? label : undefined);
}

/** One where there is something that it can act on. */
export function ifListed(label: string): Command["label"] {
  return (state) => (readingOf(state).entries.length > 0 ? label : undefined);
}
