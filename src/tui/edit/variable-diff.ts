import { isDeepStrictEqual } from "node:util";
import type { JsonValue } from "../../kit/text/strict-json.js";
import {
  type Definition,
  formatAs,
  isPublic,
  isSealedText,
  isUnreadable,
} from "../../model/variable.js";
import type { VariableChange, VariableState } from "../../model/variable-change.js";
import type { State } from "../state/state.js";
import { displayRules, MASK } from "../table/reveal.js";
import { type DiffLines, diffLines, type Side } from "../text/diff-lines.js";
import { LABEL_WIDTH, type Line, labelled } from "../text/line.js";
import { PLACEHOLDERS } from "../view/values.js";

type Sides = Pick<VariableChange, "before" | "after">;

/**
 * Formats the fields that all environments of an application share. `undefined`
 * means the default.
 */
export const DEFINITION = {
  type: ({ type }: VariableState) => type,
  description: ({ description }: VariableState) => description || undefined,
  optional: ({ optional }: VariableState) => (optional ? "yes" : undefined),
  secret: (state: VariableState) => (isPublic(state) ? "no" : undefined),
  schema: ({ schema }: VariableState) => schema && JSON.stringify(schema, undefined, 2),
} as const satisfies Record<keyof Definition, (content: VariableState) => string | undefined>;

/**
 * Shows a change as `- old` and `+ new` lines: name and definition, then the
 * value.
 *
 * @param typed the new value before encryption
 */
export function changeDiff(
  state: State,
  change: VariableChange,
  width: number,
  isShown: boolean,
  typed?: string,
) {
  const { name, newName } = change;
  const [before, after] = [displayRules(state, change.before), displayRules(state, change.after)];
  const room = width - LABEL_WIDTH;
  const lines = (label: string, old: string | undefined, next: string | undefined) =>
    old === next ? [] : withLabel(label, diffLines(textSide(old), textSide(next), room).lines);
  const fields = Object.entries(DEFINITION).flatMap(([label, textOf]) =>
    lines(label, before && textOf(before), after && textOf(after)),
  );
  const value = withLabel("value", valueDiff({ before, after }, isShown, room, typed).lines);
  return { definition: [...lines("name", newName && name, newName), ...fields], value };
}

export function differenceLines(sides: Sides, isShown: boolean, width: number): DiffLines {
  const { before, after } = sides;
  const value = valueDiff(sides, isShown, width);
  if (!before || !after || before.type === after.type) return value;
  const types = diffLines(textSide(before.type), textSide(after.type), width - LABEL_WIDTH).lines;
  const changes = value.changes.map((index) => index + types.length);
  return { lines: [...withLabel("type", types), ...value.lines], changes };
}

function valueDiff(
  { before, after }: Sides,
  isAsked: boolean,
  width: number,
  typed?: string,
): DiffLines {
  // If a variable is secret on one side only, both sides probably have the same
  // secret value.
  const isShown = isAsked || [before, after].every((side) => !side || isPublic(side));
  const isSame = before && after && isDeepStrictEqual(before.value, after.value);
  const old = valueSide(before, isShown);
  if (isSame)
    return diffLines({ ...old, isPlaceholder: false }, { ...old, isPlaceholder: false }, width);
  return diffLines(old, valueSide(after, isShown, typed, before?.value), width);
}

function textSide(text: string | undefined, isPlaceholder = false): Side {
  return { texts: text === undefined ? [] : text.split("\n"), isPlaceholder };
}

/**
 * @param like the value whose order of keys is used, so that reordering shows
 *   no difference
 */
function valueSide(
  item: VariableState | undefined,
  isShown: boolean,
  typed?: string,
  like?: JsonValue,
): Side {
  if (item?.value === undefined) return textSide(undefined);
  if (!isShown) return textSide(MASK, true);
  const hidden = isSealedText(item.value) ? PLACEHOLDERS.sealed : PLACEHOLDERS.encrypted;
  if (isUnreadable(item.value) && typed === undefined) return textSide(hidden.text, true);
  const text = isUnreadable(item.value)
    ? typed
    : formatAs(inOrderOf(like, item.value), item.type, 2);
  return text === "" ? textSide(PLACEHOLDERS.shown.text, true) : textSide(text);
}

/**
 * Orders keys as `like` does, and new ones last. Keeps an order that agrees
 * with `like`.
 */
function inOrderOf(like: JsonValue | undefined, value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  const model = (typeof like === "object" ? (like ?? {}) : {}) as Record<string, JsonValue>;
  if (Array.isArray(value)) return value.map((item, index) => inOrderOf(model[index], item));
  const own = Object.keys(value);
  const shared = Object.keys(model).filter((key) => Object.hasOwn(value, key));
  const ownShared = own.filter((key) => Object.hasOwn(model, key));
  const isInOrder = isDeepStrictEqual(ownShared, shared);
  const keys = isInOrder ? own : [...new Set([...shared, ...own])];
  return Object.fromEntries(
    keys.map((key) => [key, inOrderOf(model[key], value[key] as JsonValue)]),
  );
}

function withLabel(label: string, lines: readonly Line[]): Line[] {
  return lines.map((line, index) => labelled(index === 0 ? label : "", line));
}
