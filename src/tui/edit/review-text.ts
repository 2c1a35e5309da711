import { isDeepStrictEqual } from "node:util";
import { isEncrypted, isPublic, type JsonValue, textAs } from "../../domain/variable.js";
import { MASK } from "../reading/shown.js";
import { isProduction, placeName } from "../state/places.js";
import type { Assigned, Change, Edit, EditPurpose, Purpose } from "../state/ports.js";
import { type Done, type History, type Next, notify, type PlannedEdit, type State } from "../state/state.js";
import { type DiffLines, diffLines, type Side } from "../text/diff-lines.js";
import { LABEL_WIDTH, type Line, labelled, wrapLines } from "../text/line.js";
import { buttonLine, variablesText } from "../view/panel.js";
import { PLACEHOLDERS } from "../view/values.js";
import type { TextField } from "../widgets/text-field.js";

type Sides = Pick<Change, "before" | "after">;

/** A change as `- old` and `+ new` lines. @param typed the input for the new value, before it was encrypted */
export function editLines(sides: Sides, isRevealed: boolean, width: number, typed?: string): Line[] {
  const { before, after } = sides;
  const room = width - LABEL_WIDTH;
  const types = [textSide(before?.type), textSide(after?.type)] as const;
  const descriptions = [textSide(before?.description || undefined), textSide(after?.description || undefined)] as const;
  return [
    ...withLabel("type", diffLines(...types, room).lines),
    ...withLabel("description", diffLines(...descriptions, room).lines),
    ...withLabel("value", valueDiff(sides, isRevealed, room, typed).lines),
  ];
}

/** The difference of two values, in all columns. */
export function differenceLines(sides: Sides, isRevealed: boolean, width: number): DiffLines {
  const { before, after } = sides;
  const value = valueDiff(sides, isRevealed, width);
  if (!before || !after || before.type === after.type) return value;
  const types = diffLines(textSide(before.type), textSide(after.type), width - LABEL_WIDTH).lines;
  const changes = value.changes.map((index) => index + types.length);
  return { lines: [...withLabel("type", types), ...value.lines], changes };
}

function valueDiff({ before, after }: Sides, isRevealed: boolean, width: number, typed?: string): DiffLines {
  const isSame = before && after && isDeepStrictEqual(before.value, after.value);
  const old = valueSide(before, isRevealed);
  if (isSame) return diffLines({ ...old, isPlaceholder: false }, { ...old, isPlaceholder: false }, width);
  return diffLines(old, valueSide(after, isRevealed, typed, before?.value), width);
}

function textSide(text: string | undefined): Side {
  return { texts: text === undefined ? [] : text.split("\n"), isPlaceholder: false };
}

/** @param like JSON is shown with its keys in the order of this value: the order makes no difference */
function valueSide(item: Assigned | undefined, isRevealed: boolean, typed?: string, like?: JsonValue): Side {
  if (item?.value === undefined) return textSide(undefined);
  if (!isRevealed && !isPublic(item)) return placeholder(MASK);
  if (isEncrypted(item.value) && typed === undefined) return placeholder(PLACEHOLDERS.encrypted.text);
  const text = isEncrypted(item.value) ? typed : textAs(inOrderOf(like, item.value), item.type, 2);
  return text === "" ? placeholder(PLACEHOLDERS.shown.text) : textSide(text);
}

function placeholder(text: string): Side {
  return { texts: [text], isPlaceholder: true };
}

/** The same value, with the keys of objects in the order of another one; those that it doesn't have come last. */
function inOrderOf(like: JsonValue | undefined, value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    const items = Array.isArray(like) ? like : [];
    return value.map((item, index) => inOrderOf(items[index], item));
  }
  if (!isObject(value)) return value;
  const known = isObject(like) ? like : {};
  const keys = [...Object.keys(known).filter((key) => Object.hasOwn(value, key)), ...Object.keys(value)];
  return Object.fromEntries([...new Set(keys)].map((key) => [key, inOrderOf(known[key], value[key] as JsonValue)]));
}

function isObject(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function withLabel(label: string, lines: readonly Line[]): Line[] {
  return lines.map((line, index) => labelled(index === 0 ? label : "", line));
}

/** The buttons of a confirmation. `drop` takes an edit that can't be undone out of the history. */
export type Answer = "yes" | "back" | "drop";

export interface Confirmation extends PlannedEdit {
  /** The input for the new value, which the edit may have encrypted. Not in the edit, which the history keeps. */
  readonly text?: string | undefined;
  /** Whether another program has changed the variable since the form was opened: `before` is its new state. */
  readonly isChangedMeanwhile?: boolean;
  readonly isRevealed: boolean;
  /** When values that `v` has revealed are masked again. */
  readonly shownUntil?: number | undefined;
  /** The button with the focus. */
  readonly button: Answer;
  /** The input where a name must be typed before the edit is made. */
  readonly typed: TextField;
  readonly problem?: string | undefined;
  /** For the edit of a form, which is below: prepares it again, if another program has changed the variable. */
  readonly again?: Next;
  readonly top: number;
}

interface EditWords {
  readonly title: string;
  readonly what: string;
  /** After `undo` and `redo`. */
  readonly doing: string;
  readonly where: string;
  readonly done: string;
}

const EDITS: Readonly<Record<EditPurpose, EditWords>> = {
  add: { title: "Add", what: "add", doing: "adding", where: "to", done: "added" },
  edit: { title: "Change", what: "change", doing: "changing", where: "in", done: "changed" },
  delete: { title: "Delete", what: "delete", doing: "deleting", where: "in", done: "deleted" },
  "copy-to": { title: "Copy", what: "copy", doing: "copying", where: "to", done: "copied" },
  import: { title: "Import", what: "import", doing: "importing", where: "into", done: "imported" },
};

export function titleOf(purpose: Purpose): string {
  return purpose === "undo" ? "Undo" : purpose === "redo" ? "Redo" : EDITS[purpose].title;
}

/** `changing PORT in shop/test`: an edit that is undone or redone. */
function describeEdit(state: State, { of = "edit", edit, place }: PlannedEdit): string {
  const { doing, where } = EDITS[of];
  return `${doing} ${objectText(of, edit)} ${where} ${placeName(state, place)}`;
}

/** `PORT`, `the values of 2 variables`: a variable stays where another environment has a value of it. */
function objectText(purpose: EditPurpose, { changes }: Edit): string {
  const names = variablesText(changes);
  return purpose === "delete" ? `the value${changes.length === 1 ? "" : "s"} of ${names}` : names;
}

/** `change PORT in shop/test?` */
export function questionText(state: State, confirmation: Confirmation): string {
  const { purpose, edit, place } = confirmation;
  if (purpose === "undo" || purpose === "redo") return `${purpose} ${describeEdit(state, confirmation)}?`;
  const { what, where } = EDITS[purpose];
  const shared = edit.changes.every(isSharedOnly) ? sharedText(edit) : "";
  const scope = shared === "" ? "" : " and all other environments of its application";
  const object = shared === "" ? objectText(purpose, edit) : `the ${shared} of ${variablesText(edit.changes)}`;
  return `${what} ${object} ${where} ${placeName(state, place)}${scope}?`;
}

/** Surprises that the question alone does not tell. */
export function noteLines({ purpose, edit, isChangedMeanwhile = false }: Confirmation, width: number): Line[] {
  const { changes } = edit;
  const name = variablesText(changes);
  const notes: string[] = [];
  if (isChangedMeanwhile)
    notes.push(`${name} has been changed by another program. Below are its present state and yours.`);
  const shared = sharedText(edit);
  if (shared !== "" && !changes.every(isSharedOnly)) {
    notes.push(`All environments of the application share the ${shared}, which this changes too.`);
  }
  const removed = purpose === "undo" ? [] : changes.filter(({ before, after }) => before && !after);
  if (removed.length === 1) {
    notes.push(
      `${variablesText(removed)} has no value in another environment: its type and description are deleted too.`,
    );
  } else if (removed.length > 1) {
    notes.push(`${variablesText(removed)} have no value in another environment: these are deleted altogether.`);
  }
  return notes.flatMap((note) => wrapLines(`! ${note}`, width, "warning"));
}

/** The fields that the edit changes for all environments of the application: `type and description`, or `""`. */
function sharedText({ changes }: Edit): string {
  const changed = (field: "type" | "description") => {
    return changes.some(({ before, after }) => before && after && before[field] !== after[field]) ? [field] : [];
  };
  return [...changed("type"), ...changed("description")].join(" and ");
}

function isSharedOnly({ before, after }: Change): boolean {
  return before !== undefined && after !== undefined && isDeepStrictEqual(before.value, after.value);
}

/** The word to type before values of production are deleted or replaced: the name of the variable or of the place. */
export function requiredText({ places }: State, { place, edit }: Confirmation): string | undefined {
  const target = places[place];
  if (!target || !isProduction(target)) return undefined;
  const isLost = ({ before, after }: Change) => {
    return before?.value !== undefined && !isDeepStrictEqual(before.value, after?.value);
  };
  const [first, ...others] = edit.changes.filter(isLost);
  return others.length > 0 ? target.name : first?.name;
}

function deletesValue({ before, after }: Change): boolean {
  return before?.value !== undefined && after?.value === undefined;
}

/** The answers to a confirmation, in the order of the buttons. */
export function answersOf({ purpose }: Confirmation): readonly Answer[] {
  return purpose === "undo" || purpose === "redo" ? ["yes", "back", "drop"] : ["yes", "back"];
}

const KEYS: Readonly<Record<Answer, string>> = { yes: "ctrl-s", back: "escape", drop: "ctrl-x" };

export function answerButtons(confirmation: Confirmation): Line {
  const { purpose, edit, button, isChangedMeanwhile } = confirmation;
  const labels = { yes: isChangedMeanwhile ? "Save over it" : titleOf(purpose), back: "Back", drop: "Drop" };
  const role = edit.changes.some(deletesValue) ? "danger" : "accent";
  return buttonLine(
    answersOf(confirmation).map((answer) => {
      return { label: labels[answer], key: KEYS[answer], role: answer === "yes" ? role : "text" };
    }),
    answersOf(confirmation).indexOf(button),
  );
}

/** The notice after the edit was written. @param undoKey the key that undoes it on the next screen */
export function doneText(state: State, planned: PlannedEdit, undoKey: string): string {
  const { purpose, edit, place } = planned;
  const isHere = place === state.place && purpose !== "copy-to";
  const where = isHere ? "" : ` ${purpose === "copy-to" ? "to" : "in"} ${placeName(state, place)}`;
  if (purpose === "undo") return `undid ${describeEdit(state, planned)}`;
  if (purpose === "redo") return `redid ${describeEdit(state, planned)}; ${undoKey} undoes it`;
  return `${EDITS[purpose].done} ${objectText(purpose, edit)}${where}; ${undoKey} undoes it`;
}

/** The edit that undoes another. */
export function inverted({ changes }: Edit): Edit {
  return { changes: changes.map(({ name, before, after }) => ({ name, before: after, after: before })) };
}

/** The history after an edit was written. */
export function historyAfter({ done, undone }: History, planned: PlannedEdit): History {
  const { purpose, of = "edit", place } = planned;
  // A copy, because the lines of shown values are kept as long as the edit of the confirmation.
  const edit: Edit = { ...planned.edit };
  switch (purpose) {
    case "undo":
      return { done: done.slice(0, -1), undone: [...undone, { place, purpose: of, edit: inverted(edit) }] };
    case "redo":
      return { done: [...done, { place, purpose: of, edit }], undone: undone.slice(0, -1) };
    default:
      return { done: [...done, { place, purpose, edit }], undone: [] };
  }
}

/** The state after an edit that can't be undone or redone was taken out of the history, so that others can be. */
export function droppedFromHistory(state: State, confirmation: Confirmation): State {
  const { done, undone } = state.history;
  const without = (list: readonly Done[]) => list.slice(0, -1);
  const isUndo = confirmation.purpose === "undo";
  const history = isUndo ? { done: without(done), undone } : { done, undone: without(undone) };
  const text = `${describeEdit(state, confirmation)} was dropped from the history; nothing was changed`;
  return notify({ ...state, history, stack: state.stack.slice(0, -1) }, text);
}
