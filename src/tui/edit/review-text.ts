import { isDeepStrictEqual } from "node:util";
import { isEncrypted, isPublic, type JsonValue, textAs } from "../../domain/variable.js";
import { MASK } from "../reading/shown.js";
import { isProduction, placeName } from "../state/places.js";
import type { Assigned, Change, HistoryEntry } from "../state/ports.js";
import type { PlannedEdit, State } from "../state/state.js";
import { type DiffLines, diffLines, type Side } from "../text/diff-lines.js";
import { countText, LABEL_WIDTH, type Line, labelled, wrapLines } from "../text/line.js";
import { variablesText } from "../view/panel.js";
import { PLACEHOLDERS } from "../view/values.js";

type Sides = Pick<Change, "before" | "after">;

/** The fields of a definition, which all environments of an application share, as texts; undefined for the default. */
const FIELDS = {
  type: ({ type }: Assigned) => type,
  description: ({ description }: Assigned) => description || undefined,
  optional: ({ optional }: Assigned) => (optional ? "yes" : undefined),
  secret: (assigned: Assigned) => (isPublic(assigned) ? "no" : undefined),
  schema: ({ schema }: Assigned) => schema && JSON.stringify(schema, undefined, 2),
} as const;
const ALWAYS = ["type", "description"];

/** A change as `- old` and `+ new` lines. @param typed the input for the new value, before it was encrypted */
export function editLines(
  change: Omit<Change, "name"> & { name?: string },
  isRevealed: boolean,
  width: number,
  typed?: string,
): Line[] {
  const { name, newName, before, after } = change;
  const room = width - LABEL_WIDTH;
  const lines = (label: string, old: string | undefined, next: string | undefined) =>
    withLabel(label, diffLines(textSide(old), textSide(next), room).lines);
  const fields = Object.entries(FIELDS).flatMap(([label, textOf]) => {
    const [old, next] = [before && textOf(before), after && textOf(after)];
    return old !== next || ALWAYS.includes(label) ? lines(label, old, next) : [];
  });
  const names = newName === undefined ? [] : lines("name", name, newName);
  return [...names, ...fields, ...withLabel("value", valueDiff(change, isRevealed, room, typed).lines)];
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

/** Names of places: `test and production`, or `5 places`. */
export function placesText(state: State, places: readonly number[]): string {
  const names = places.map((place) => placeName(state, place));
  return names.length > MAX_PLACES ? `${countText(names.length)} places` : listText(names);
}

/** `a, b and c` */
function listText(items: readonly string[]): string {
  return [items.slice(0, -1).join(", "), ...items.slice(-1)].filter((text) => text !== "").join(" and ");
}

const MAX_PLACES = 3;

const WORDS = {
  add: { title: "Add", what: "add", where: "to", done: "added" },
  edit: { title: "Change", what: "change", where: "in", done: "changed" },
  delete: { title: "Delete", what: "delete", where: "in", done: "deleted" },
  copy: { title: "Copy", what: "copy", where: "to", done: "copied" },
  import: { title: "Import", what: "import", where: "into", done: "imported" },
  undo: { title: "Undo", what: "undo", where: "in", done: "undid" },
  redo: { title: "Redo", what: "redo", where: "in", done: "redid" },
  rollback: { title: "Roll back", what: "roll back", where: "in", done: "rolled back" },
} as const satisfies Readonly<Record<PlannedEdit["purpose"], object>>;

export function titleOf({ purpose }: PlannedEdit): string {
  return WORDS[purpose].title;
}

/** `PORT`, `the values of 2 variables`: a variable stays where another environment has a value of it. */
function objectText({ purpose, parts }: PlannedEdit): string {
  const names = [...new Set(parts.flatMap(({ changes }) => changes.map(({ name }) => name)))];
  const text = variablesText(names.map((name) => ({ name })));
  if (purpose === "undo" || purpose === "redo") return `the change of ${text}`;
  return purpose === "delete" ? `the value${names.length === 1 ? "" : "s"} of ${text}` : text;
}

/** `change PORT in shop/test?` */
export function questionText(state: State, planned: PlannedEdit): string {
  const { what, where } = WORDS[planned.purpose];
  const places = placesText(
    state,
    planned.parts.map(({ place }) => place),
  );
  const changes = changesOf(planned);
  const shared = planned.purpose === "edit" && changes.every(isSharedOnly) ? sharedText(changes) : "";
  if (shared === "") return `${what} ${objectText(planned)} ${where} ${places}?`;
  return `${what} the ${shared} of ${objectText(planned)} in ${places} and all other environments of its application?`;
}

function changesOf({ parts }: Pick<PlannedEdit, "parts">): readonly Change[] {
  return parts.flatMap(({ changes }) => changes);
}

/** Surprises that the question alone does not tell. */
export function noteLines(
  planned: PlannedEdit & { readonly isChangedMeanwhile?: boolean | undefined },
  width: number,
): Line[] {
  const { entry, purpose, isChangedMeanwhile } = planned;
  const changes = changesOf(planned);
  const notes: string[] = [];
  if (isChangedMeanwhile)
    notes.push(`${variablesText(changes)} has been changed by another program. Below are its present state and yours.`);
  const shared = sharedText(changes);
  if (shared !== "" && !(purpose === "edit" && changes.every(isSharedOnly))) {
    notes.push(`All environments of the application share the ${shared}, which this changes too.`);
  }
  const removed = new Set(changes.flatMap(({ name, before, after }) => (before && !after ? name : [])));
  if (removed.size > 0) {
    const text = variablesText([...removed].map((name) => ({ name })));
    const [has, is] = removed.size === 1 ? ["has", "is"] : ["have", "are"];
    notes.push(`${text} ${has} no value in another environment, and ${is} deleted altogether.`);
  }
  const author = entry ? wrapLines(entryText(planned, entry), width, "muted") : [];
  if (entry?.hasMore && purpose !== "rollback")
    notes.push("That change was also of environments, keys or other applications: these stay.");
  return [...author, ...notes.flatMap((note) => wrapLines(`! ${note}`, width, "warning"))];
}

/** `change 12, by ana@laptop with "set" on 2026-07-01 12:00:00 UTC` */
function entryText({ purpose }: PlannedEdit, { id, time, actor, command }: HistoryEntry): string {
  const change = purpose === "rollback" ? "to before change" : purpose === "redo" ? "takes back change" : "change";
  return `${change} ${id}, by ${actor} with "${command}" on ${time.slice(0, 19).replace("T", " ")} UTC`;
}

/** The fields that the edit changes for all environments of the application: `type and description`, or `""`. */
function sharedText(changes: readonly Change[]): string {
  const isChanged = (textOf: (assigned: Assigned) => string | undefined) =>
    changes.some(({ before, after }) => before && after && textOf(before) !== textOf(after));
  const fields = Object.entries(FIELDS).flatMap(([field, textOf]) => (isChanged(textOf) ? field : []));
  return listText(changes.some(({ newName }) => newName !== undefined) ? ["name", ...fields] : fields);
}

function isSharedOnly({ before, after }: Change): boolean {
  return before !== undefined && after !== undefined && isDeepStrictEqual(before.value, after.value);
}

/**
 * The word to type before values of production are deleted or replaced, or can't be found by their name any more: the
 * name of the variable, or else those of the places.
 */
export function requiredText({ places }: State, { parts }: PlannedEdit): string | undefined {
  const isLost = ({ before, after, newName }: Change) => {
    return newName !== undefined || (before?.value !== undefined && !isDeepStrictEqual(before.value, after?.value));
  };
  const lost = parts.flatMap(({ place, changes }) => {
    return changes.filter(isLost).flatMap(({ name, newName }) => {
      const isAffected = (index: number) =>
        index === place || (newName !== undefined && places[index]?.group === places[place]?.group);
      return places
        .filter((each, index) => isAffected(index) && !each.isGone && isProduction(each))
        .map((each) => ({ name, place: each.name }));
    });
  });
  const names = new Set(lost.map(({ name }) => name));
  return names.size > 1 ? [...new Set(lost.map(({ place }) => place))].join(" ") : [...names][0];
}

export function deletesValue({ before, after }: Change): boolean {
  return before?.value !== undefined && after?.value === undefined;
}

/** The notice after the edit was written. @param undoKey the key that undoes it on the next screen */
export function doneText(state: State, planned: PlannedEdit, undoKey: string): string {
  const { purpose, parts } = planned;
  const { done, where } = WORDS[purpose];
  const places = parts.map(({ place }) => place);
  const isHere = places.every((place) => place === state.place) && !["undo", "redo", "copy"].includes(purpose);
  const text = `${done} ${objectText(planned)}${isHere ? "" : ` ${where} ${placesText(state, places)}`}`;
  const isOfOpen = places.some((place) => state.places[place]?.detail === state.places[state.place]?.detail);
  if (purpose === "undo") return text;
  return `${text}; ${undoKey} undoes it${isOfOpen ? "" : ` in ${placesText(state, places)}`}`;
}
