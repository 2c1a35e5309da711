import { isDeepStrictEqual } from "node:util";
import { isEncrypted, isPublic, type JsonValue, textAs } from "../../domain/variable.js";
import { MASK } from "../reading/reveal.js";
import type { Assigned, Change } from "../state/ports.js";
import { type DiffLines, diffLines, diffRows, type Side } from "../text/diff-lines.js";
import { LABEL_WIDTH, type Line, labelled } from "../text/line.js";
import { PLACEHOLDERS } from "./values.js";

type Sides = Pick<Change, "before" | "after">;

/** A change as `- old` and `+ new` lines. @param typed the input for the new value, before it was encrypted */
export function editLines(sides: Sides, isRevealed: boolean, width: number, typed?: string): Line[] {
  const { before, after } = sides;
  const room = width - LABEL_WIDTH;
  const types = [textSide(before?.type), textSide(after?.type)] as const;
  const descriptions = [textSide(before?.description || undefined), textSide(after?.description || undefined)] as const;
  return [
    ...withLabel("type", diffLines(diffRows(...types), room).lines),
    ...withLabel("description", diffLines(diffRows(...descriptions), room).lines),
    ...withLabel("value", valueDiff(sides, isRevealed, room, typed).lines),
  ];
}

/** The difference of two values, in all columns. */
export function differenceLines(sides: Sides, isRevealed: boolean, width: number): DiffLines {
  const { before, after } = sides;
  const value = valueDiff(sides, isRevealed, width);
  if (!before || !after || before.type === after.type) return value;
  const types = diffLines(diffRows(textSide(before.type), textSide(after.type)), width - LABEL_WIDTH).lines;
  const changes = value.changes.map((index) => index + types.length);
  return { lines: [...withLabel("type", types), ...value.lines], changes };
}

function valueDiff({ before, after }: Sides, isRevealed: boolean, width: number, typed?: string): DiffLines {
  const isSame = before && after && isDeepStrictEqual(before.value, after.value);
  const old = valueSide(before, isRevealed);
  if (isSame) return diffLines(diffRows({ ...old, isPlaceholder: false }, { ...old, isPlaceholder: false }), width);
  return diffLines(diffRows(old, valueSide(after, isRevealed, typed, before?.value)), width);
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
