import { isDeepStrictEqual } from "node:util";
import { isPublic } from "../../model/variable.js";
import type {
  EnvironmentChanges,
  HistoryEntry,
  VariableChange,
  VariableState,
} from "../../model/variable-change.js";
import { variablesText } from "../stack/panel.js";
import { type Question, requiredInput } from "../stack/question.js";
import { isProduction, placeName } from "../state/places.js";
import type { State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { countText, type Line, line, spaced, wrapLine, wrapLines } from "../text/line.js";
import { changeDiff, DEFINITION } from "./variable-diff.js";

/** Changes to variables of one environment, and the index of its place. */
export interface Part extends EnvironmentChanges {
  readonly place: number;
}

/** An edit to review. Parts in the same file or store are written together. */
export interface PlannedEdit {
  readonly purpose: Purpose;
  readonly parts: readonly Part[];
  /** Variables that already have the desired state. */
  readonly unchanged?: readonly string[];
  /**
   * The places that values are copied from, if the screen does not show them.
   */
  readonly from?: string | undefined;
  /** The history entry that is undone, redone or rolled back. */
  readonly entry?: HistoryEntry | undefined;
}

export interface Reviewed extends PlannedEdit {
  /**
   * The new value as typed in the form, before encryption, and whether another
   * program has changed the variable meanwhile, whose new state is `before`.
   */
  readonly form?: { readonly text: string; readonly isChangedMeanwhile: boolean };
}

/**
 * The title of the question, a preposition, and the words of the notice, by
 * purpose.
 */
const WORDS = {
  add: ["Add", "to", "added"],
  edit: ["Change", "in", "changed"],
  delete: ["Delete", "in", "deleted"],
  copy: ["Copy", "to", "copied"],
  import: ["Import", "into", "imported"],
  undo: ["Undo", "in", "undid"],
  redo: ["Redo", "in", "redid"],
  rollback: ["Roll back", "in", "rolled back"],
} as const;

type Purpose = keyof typeof WORDS;

/**
 * Shows values typed into a form, and masks others. The confirm button has the
 * focus, since `u` can undo the edit, unless that overwrites another program's
 * change.
 */
export function questionOf(state: State, edit: Reviewed): Question {
  const { purpose, parts, form } = edit;
  const [title] = WORDS[purpose];
  const required = requiredText(state, edit);
  return {
    ...{
      title,
      text: questionText(state, edit),
      answer: form?.isChangedMeanwhile ? "Overwrite" : title,
    },
    key: form?.isChangedMeanwhile ? "ctrl-x" : "ctrl-s",
    isDanger: changesOf(edit).some(
      ({ before, after }) => before?.value !== undefined && after?.value === undefined,
    ),
    details: (now, width, isShown) =>
      spaced([noteLines(edit, width), changeLines(now, edit, width, isShown)]),
    // The user has just typed it.
    ...(form && changesOf(edit).some(changesValue) && { shownUntil: Number.POSITIVE_INFINITY }),
    input: required === undefined ? undefined : requiredInput(required),
    places: parts.map(({ place }) => place),
  };
}

export function changesOf({
  parts,
}: {
  readonly parts: readonly EnvironmentChanges[];
}): readonly VariableChange[] {
  return parts.flatMap(({ changes }) => changes);
}

/** `Change PORT in shop/test?` */
function questionText(state: State, edit: PlannedEdit): string {
  const [title, where] = WORDS[edit.purpose];
  const [from, places] = [edit.from ? ` from ${edit.from}` : "", placesText(state, edit.parts)];
  const object = `${objectText(edit)}${from}`;
  if (!changesDefinitionOnly(edit)) return `${title} ${object} ${where} ${places}?`;
  return `${title} the ${sharedText(edit)} of ${object} in ${places} and all other environments of its application?`;
}

/**
 * `PORT`, or `the values of 2 variables`: deleting a value keeps the variable
 * if another environment has a value for it.
 */
function objectText(edit: PlannedEdit): string {
  const names = new Set(changesOf(edit).map(({ name }) => name));
  const text = namesText(names);
  if (edit.purpose === "undo" || edit.purpose === "redo") return `the change to ${text}`;
  return edit.purpose === "delete" ? `the value${names.size === 1 ? "" : "s"} of ${text}` : text;
}

function namesText(names: ReadonlySet<string>): string {
  return variablesText(Array.from(names, (name) => ({ name })));
}

/** `test and production` */
export function placesText(state: State, parts: readonly Part[]): string {
  return LIST.format(parts.map(({ place }) => placeName(state, place)));
}

/** `a, b and c` */
const LIST = new Intl.ListFormat("en-GB");

/**
 * `type and description`: what an edit changes for all environments, or `""`.
 */
function sharedText(edit: PlannedEdit): string {
  const changes = changesOf(edit);
  const isChanged = (textOf: (state: VariableState) => string | undefined) =>
    changes.some(({ before, after }) => before && after && textOf(before) !== textOf(after));
  const names = changes.some(({ newName }) => newName !== undefined) ? ["name"] : [];
  const fields = Object.entries(DEFINITION).flatMap(([field, textOf]) =>
    isChanged(textOf) ? field : [],
  );
  const words = fields.map((field) =>
    field === "type" || field === "description" ? field : "rules",
  );
  return LIST.format([...new Set([...names, ...words])]);
}

function changesDefinitionOnly(edit: PlannedEdit): boolean {
  return edit.purpose === "edit" && !changesOf(edit).some(changesValue) && sharedText(edit) !== "";
}

export function changesValue({ before, after }: VariableChange): boolean {
  return !before || !after || !isDeepStrictEqual(before.value, after.value);
}

/**
 * Says whose change is undone, and warns of effects that the question does not
 * mention.
 */
function noteLines(edit: Reviewed, width: number): Line[] {
  const { entry, purpose, form, unchanged = [] } = edit;
  const changes = changesOf(edit);
  const shared = changesDefinitionOnly(edit) ? "" : sharedText(edit);
  const removed = new Set(
    changes.flatMap(({ name, before, after }) => (before && !after ? name : [])),
  );
  const has = removed.size === 1 ? "has" : "have";
  const notes = [
    form?.isChangedMeanwhile &&
      `${variablesText(changes)} was changed by another program. Its current state and yours are below.`,
    shared !== "" &&
      `This also changes the ${shared}, which all environments of the application share.`,
    removed.size > 0 &&
      `${namesText(removed)} ${has} no value in any other environment and will be deleted completely.`,
    unchanged.length > 0 &&
      `${purpose === "copy" ? "Already the same" : "No value here"}: ${unchanged.join(", ")}.`,
    entry?.hasMore &&
      purpose !== "rollback" &&
      "That change also touched environments, keys or other applications, which stay as they are.",
  ];
  const warnings = notes.flatMap((note) => (note ? wrapLines(`! ${note}`, width, "warning") : []));
  return [...(entry ? wrapLines(entryText(edit, entry), width, "muted") : []), ...warnings];
}

/** `change 12, by ana@laptop with "set" on 2026-07-01 12:00:00 UTC` */
function entryText({ purpose }: PlannedEdit, { id, time, actor, command }: HistoryEntry): string {
  const change =
    purpose === "rollback"
      ? "restores the state before change"
      : purpose === "redo"
        ? "reverts change"
        : "change";
  return `${change} ${id}, by ${actor} with "${command}" on ${time.slice(0, 19).replace("T", " ")} UTC`;
}

/** The changes shown. More would make each key noticeably slow. */
const MAX_CHANGES = 300;

export function changeLines(
  state: State,
  { parts, form }: Reviewed,
  width: number,
  isShown: boolean,
): Line[] {
  const all = parts.flatMap(({ place, changes }) => changes.map((change) => ({ place, change })));
  const heading = (name: string) => wrapLine(line(name, "accent"), width);
  const isNamed = all.some(({ change }) => change.name !== all[0]?.change.name);
  const defined = new Set<string>();
  const blocks = all.slice(0, MAX_CHANGES).map(({ place, change }, index) => {
    const isFirst = parts.length > 1 && place !== all[index - 1]?.place;
    const { definition, value } = changeDiff(state, change, width, isShown, form?.text);
    // All environments of an application share the definition.
    const shared = `${state.places[place]?.group}/${change.name}`;
    const isNew = !defined.has(shared);
    defined.add(shared);
    return [
      ...(isFirst ? heading(`in ${placeName(state, place)}`) : []),
      ...(isNamed ? heading(visibleText(change.name)) : []),
      ...(isNew ? definition : []),
      ...value,
    ];
  });
  const left = all.length - MAX_CHANGES;
  return spaced([
    ...blocks,
    left > 0 ? [line(`… and ${countText(left)} more variables`, "muted")] : [],
  ]);
}

/**
 * The word to type before a production value is deleted, replaced, made public
 * or renamed: the variable, or the places of several variables.
 */
function requiredText({ places }: State, { parts }: PlannedEdit): string | undefined {
  // These changes affect all environments of the application.
  const isShared = ({ before, after, newName }: VariableChange) =>
    newName !== undefined || (before !== undefined && isPublic(after) && !isPublic(before));
  const isLost = (change: VariableChange) =>
    isShared(change) || (change.before?.value !== undefined && changesValue(change));
  const lost = parts.flatMap(({ place, changes }) =>
    changes.filter(isLost).flatMap((change) => {
      const isAffected = (index: number) =>
        index === place || (isShared(change) && places[index]?.group === places[place]?.group);
      const affected = places.filter(
        (each, index) => !each.isGone && isAffected(index) && isProduction(each),
      );
      return affected.map((each) => ({ name: change.name, place: each.name }));
    }),
  );
  const names = new Set(lost.map(({ name }) => name));
  return names.size > 1 ? [...new Set(lost.map(({ place }) => place))].join(" ") : [...names][0];
}

/** @param undoKey the key that undoes the edit */
export function doneText(state: State, edit: PlannedEdit, undoKey: string): string {
  const { purpose, parts } = edit;
  const [, where, done] = WORDS[purpose];
  const places = placesText(state, parts);
  const isHere =
    parts.every(({ place }) => place === state.place) &&
    !["undo", "redo", "copy"].includes(purpose);
  const renamed =
    purpose === "edit" && changesOf(edit).find(({ newName }) => newName !== undefined);
  const did = renamed
    ? `renamed ${visibleText(`${renamed.name} to ${renamed.newName}`)}`
    : `${done} ${objectText(edit)}`;
  const text = `${did}${isHere ? "" : ` ${where} ${places}`}`;
  if (purpose === "undo") return text;
  const isOpenGroup = parts.some(
    ({ place }) => state.places[place]?.group === state.places[state.place]?.group,
  );
  return `${text}; ${undoKey}${isOpenGroup ? "" : ` in ${places}`} undoes it`;
}
