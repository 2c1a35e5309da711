import { suggestion } from "../../domain/nearest.js";
import type { VariableEntry } from "../../domain/source.js";
import { isVariableType, VARIABLE_TYPES } from "../../domain/variable.js";
import { EXPORT_FORMATS } from "../../formats/formats.js";
import { isExportFormat, isSelectedFormat, SELECTED_FORMATS } from "../reading/copying.js";
import { ONLY } from "../reading/matrix-table.js";
import { openPlace } from "../reading/read.js";
import { actsOnMarked, withList } from "../reading/selection.js";
import { copyAll, copySelected } from "../screens/copy.js";
import { openDiff } from "../screens/diff.js";
import { openMatrix } from "../screens/matrix.js";
import { otherPlaceNames, pickToCompare } from "../screens/places.js";
import type { Choice, Command } from "../state/command.js";
import { placeName, whyReadOnly } from "../state/places.js";
import { readingOf } from "../state/reading.js";
import { notify, SORTS, type Sort, type State, type Step } from "../state/state.js";
import { step } from "../state/work.js";
import { selectionOf, targetsOf } from "../view/screen.js";
import { cycled } from "../widgets/list.js";

const TYPE_NAMES: readonly string[] = ["all", ...VARIABLE_TYPES.map((type) => type.toLowerCase())];

export const TYPE_CHOICES: readonly Choice[] = TYPE_NAMES.map((text) => {
  return { text, help: text === "all" ? "variables of all types" : `only ${text.toUpperCase()} variables` };
});

const SORT_HELP: Readonly<Record<Sort, string>> = { id: "the order of the source", name: "by name", type: "by type" };

export const SORT_CHOICES: readonly Choice[] = SORTS.map((text) => ({ text, help: SORT_HELP[text] }));

/** @param text a type, or `""` for the next one */
export function chooseType(state: State, text: string): Step {
  const name = text.toUpperCase();
  if (text === "") return step(withList(state, { type: cycled([undefined, ...VARIABLE_TYPES], state.list.type, 1) }));
  if (name === "ALL") return step(withList(state, { type: undefined }));
  if (isVariableType(name)) return step(withList(state, { type: name }));
  return refuse(state, "type", text, TYPE_NAMES);
}

/** @param text an order, or `""` for the next one */
export function chooseSort(state: State, text: string): Step {
  const sort = text === "" ? cycled(SORTS, state.list.sort, 1) : SORTS.find((name) => name === text);
  return sort ? step(withList(state, { sort })) : refuse(state, "order", text, SORTS);
}

export function reverseSort(state: State): Step {
  return step(withList(state, { isReversed: !state.list.isReversed }));
}

/** @param text which rows to show, or `""` for all */
export function chooseMatrix(state: State, text: string): Step {
  const only = text === "" ? "all" : ONLY.find((name) => name === text);
  return only ? openMatrix(state, only) : refuse(state, "row filter", text, ONLY);
}

/** @param text a format, or `""` for the value */
export function chooseCopy(state: State, text: string): Step {
  const format = text === "" ? "value" : text.toLowerCase();
  return isSelectedFormat(format) ? copySelected(state, format) : refuse(state, "format", text, SELECTED_FORMATS);
}

/** @param text a format, or `""` for dotenv */
export function chooseCopyAll(state: State, text: string): Step {
  const format = text === "" ? "dotenv" : text.toLowerCase();
  return isExportFormat(format) ? copyAll(state, format) : refuse(state, "format", text, EXPORT_FORMATS);
}

export function placeChoices({ places, place }: State): readonly Choice[] {
  return places.flatMap(({ name, detail, isGone }, index) => {
    return isGone ? [] : [{ text: name, help: index === place ? `open: ${detail}` : detail }];
  });
}

export function otherPlaceChoices(state: State): readonly Choice[] {
  const { places, place } = state;
  return placeChoices({ ...state, places: places.filter((_, index) => index !== place), place: -1 });
}

export function openNamed(state: State, name: string): Step {
  const names = placeChoices(state).map(({ text }) => text);
  const place = names.includes(name) ? state.places.findIndex((each) => each.name === name && !each.isGone) : -1;
  if (place >= 0) return openPlace(state, place);
  return step(notify(state, `there is no place "${name}"${suggestion(name, names)}`, "error"));
}

/** Compares with the place under the cursor, or else lets the person pick one. */
export function diffSelected(state: State): Step {
  const { focus, place, placeCursor } = state;
  const isOther = focus === "places" && placeCursor !== place;
  return isOther ? openDiff(state, placeCursor) : pickToCompare(state, openDiff);
}

/** Runs something for another place with this name. */
export function withOtherPlace(state: State, name: string, run: (state: State, place: number) => Step): Step {
  const { places, place } = state;
  const other = places.findIndex((each, index) => index !== place && !each.isGone && each.name === name);
  if (other >= 0) return run(state, other);
  if (places[place]?.name === name) return step(notify(state, `${name} is the open place`, "error"));
  return step(notify(state, `there is no other place "${name}"${suggestion(name, otherPlaceNames(state))}`, "error"));
}

/** @param known few enough to list all of them */
function refuse(state: State, what: string, text: string, known: readonly string[]): Step {
  const problem = `there is no ${what} "${text}"${suggestion(text, known)}`;
  return step(notify(state, `${problem}: use one of ${known.join(", ")}`, "error"));
}

/** Actions on the variable under the cursor aren't offered where another one may seem to be meant. */
export const ON_VARIABLE = { where: ["variables", "record"] } as const;

/** The same where a variable is compared. */
export const ON_SELECTED = { where: ["variables", "record", "matrix", "diff"] } as const;

/** A command for the variable under the cursor. */
export function onEntry(run: (state: State, entry: VariableEntry, place: number) => Step): Command["run"] {
  return (state) => {
    const { entry, place } = selectionOf(state);
    return entry ? run(state, entry, place) : step(state);
  };
}

/** A command for the marked variables, or else the one under the cursor. */
export function onTargets(
  run: (state: State, entries: readonly VariableEntry[], argument: string) => Step,
): Command["run"] {
  return (state, argument) => {
    const entries = targetsOf(state);
    return entries.length > 0 ? run(state, entries, argument) : step(state);
  };
}

function whyNoName(state: State): string | undefined {
  const { name, nothing = "no variable is selected" } = selectionOf(state);
  return name === undefined ? nothing : undefined;
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
  return state.stack.length > 0 ? whyNoName(state) : whyNoValue(state);
}

export function whyNotRead(state: State): string | undefined {
  const { isComplete, isReading } = readingOf(state);
  if (isComplete) return undefined;
  return isReading ? "still reading" : "the variables can't be read";
}

export function whyNotEdit(state: State): string | undefined {
  if (state.stack.length > 0) return selectionOf(state).whyNotEdit;
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
  return isOnMarked(state) ? undefined : whyNoEntry(state);
}

export function whyNoTargetValue(state: State): string | undefined {
  return isOnMarked(state) ? undefined : whyNoValue(state);
}

function isOnMarked(state: State): boolean {
  return state.stack.length === 0 && actsOnMarked(state);
}

/** A label for the footer on screens over the list. */
export function ifOpen(label: string): Command["label"] {
  return ({ stack }) => (stack.length > 0 ? label : undefined);
}

/** One where there is something that it can act on. */
export function ifListed(label: string): Command["label"] {
  return (state) => (readingOf(state).entries.length > 0 ? label : undefined);
}
