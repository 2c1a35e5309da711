import { EXPORT_FORMATS } from "../../formats/formats.js";
import type { VariableEntry } from "../../model/reads/variable-entries.js";
import { VARIABLE_TYPES } from "../../model/variable.js";
import { withLastChanges } from "../reading/changes.js";
import { openDiff } from "../screens/comparison.js";
import { choiceMenu, openMenu } from "../screens/menu.js";
import { otherPlaces, placeChoices } from "../screens/place-menus.js";
import { actsOnMarked, gridOf, targetsOf } from "../stack/grid.js";
import { variablesText } from "../stack/panel.js";
import { placeName } from "../state/places.js";
import { type Entries, readingOf } from "../state/readings.js";
import {
  type Choice,
  type Command,
  notify,
  SORTS,
  type Sort,
  type State,
  type View,
} from "../state/state.js";
import { type CopyFormat, copyEntries, SELECTED_FORMATS } from "../table/copying.js";
import { withRange } from "../table/selection.js";
import { cycled } from "../widgets/list.js";

const TYPES: readonly View["rowFilter"][] = [undefined, ...VARIABLE_TYPES];

export const TYPE_CHOICES: readonly Choice[] = TYPES.map((type) => ({
  label: type?.toLowerCase() ?? "all",
  help: type ? `only ${type} variables` : "variables of all types",
  run: (state) => gridOf(state).changeView({ rowFilter: type }),
}));

export function nextType(state: State): State {
  return gridOf(state).changeView({ rowFilter: cycled(TYPES, state.list.rowFilter, 1) });
}

const SORT_HELP: Readonly<Record<Sort, string>> = {
  id: "the order of the source",
  name: "by name",
  type: "by type",
  changed: "by last change, newest first",
};

/** Servers do not report when variables changed. */
function sortsOf({ places, place }: State): readonly Sort[] {
  return SORTS.filter(
    (sort) => sort !== "changed" || !(places[place]?.isServer || places[place]?.isLocked),
  );
}

function sortBy(state: State, sort: Sort): State {
  return withLastChanges(gridOf(state).changeView({ sort, isReversed: false }), sort);
}

export function sortChoices(state: State): readonly Choice[] {
  return sortsOf(state).map((sort) => ({
    label: sort,
    help: SORT_HELP[sort],
    run: (now) => sortBy(now, sort),
  }));
}

export function nextSort(state: State): State {
  return sortBy(state, cycled(sortsOf(state), gridOf(state).view.sort, 1));
}

export function reverseSort(state: State): State {
  const { view, ...grid } = gridOf(state);
  return grid.changeView({ isReversed: !view.isReversed });
}

/** Compares with the place under the cursor, or else lets the user pick one. */
export function diffSelected(state: State): State {
  const { focus, place, placeCursor } = state;
  if (focus === "places" && placeCursor !== place) return openDiff(state, placeCursor);
  const choices = placeChoices(state, otherPlaces(state), openDiff);
  if (choices.length === 1 && choices[0]) return choices[0].run(state);
  return openMenu(state, choiceMenu(`Compare ${placeName(state, place)} with`, choices, "compare"));
}

export function copySelected(state: State, format: CopyFormat = "value"): State {
  return copyEntries(state, gridOf(state).place, targetsOf(state), format);
}

export const COPY_CHOICES: readonly Choice[] = SELECTED_FORMATS.map(([label, help]) => {
  return { label, help, run: (state) => copySelected(state, label) };
});

export function openCopy(state: State): State {
  const others = EXPORT_FORMATS.filter((format) =>
    COPY_CHOICES.every(({ label }) => label !== format),
  );
  const marked = others.map((label): Choice => ({ label, run: (now) => copySelected(now, label) }));
  const { place } = gridOf(state);
  const group = `all variables of ${placeName(state, place)}`;
  const all = EXPORT_FORMATS.map((label): Choice => {
    return {
      label,
      group,
      run: (now) => copyEntries(now, place, readingOf(now, place).entries, label),
    };
  });
  const title = `Copy ${variablesText(targetsOf(state).map(({ variable }) => variable))}`;
  return openMenu(
    state,
    choiceMenu(title, [...COPY_CHOICES, ...(actsOnMarked(state) ? marked : []), ...all], "copy"),
  );
}

/** Makes a command that acts on the variable under the cursor. */
export function onEntry(
  run: (state: State, entry: VariableEntry, place: number) => State,
): Command["run"] {
  return (state) => {
    const { entry, place } = gridOf(state);
    return entry ? run(state, entry, place) : state;
  };
}

/**
 * Makes a command that acts on the marked variables, or else on the one under
 * the cursor.
 */
export function onTargets(
  run: (state: State, entries: Entries, place: number) => State,
): Command["run"] {
  return (before) => {
    const grid = gridOf(before);
    const state = { ...before, marks: withRange(before.marks, grid) };
    const entries = targetsOf(state);
    if (entries.length > 0) return run(state, entries, grid.place);
    return notify(state, "no marked variable exists here", "error");
  };
}
