import { isDeepStrictEqual } from "node:util";
import { isEncrypted, valueText } from "../../domain/variable.js";
import type { Assigned, Change } from "../state/ports.js";
import { MASK } from "../state/reveal.js";
import { visibleText } from "../text/graphemes.js";
import { type Line, labelled, line } from "../text/line.js";
import { valueLines } from "./value-lines.js";

type Texts = readonly string[];

/** A change as `- old` and `+ new` lines. @param typed the input for the new value, before it was encrypted */
export function editLines(
  { before, after }: Pick<Change, "before" | "after">,
  isRevealed: boolean,
  typed?: string,
): Line[] {
  const values = [valueTexts(before, isRevealed), valueTexts(after, isRevealed, typed)] as const;
  const isSameValue = before && after && isDeepStrictEqual(before.value, after.value);
  return [
    ...fieldLines("type", before ? [before.type] : [], after ? [after.type] : []),
    ...fieldLines("description", descriptionTexts(before), descriptionTexts(after)),
    ...fieldLines("value", ...withoutCommonHead(...values), isSameValue ?? false),
  ];
}

function descriptionTexts(item: Assigned | undefined): Texts {
  return item && item.description !== "" ? [visibleText(item.description)] : [];
}

function valueTexts(item: Assigned | undefined, isRevealed: boolean, typed?: string): Texts {
  if (item?.value === undefined) return [];
  if (!isRevealed) return [MASK];
  if (isEncrypted(item.value)) return typed === undefined ? ["(encrypted)"] : typed.split("\n").map(visibleText);
  return valueLines(valueText(item.value), item.type).map((spans) => spans.map((span) => span.text).join(""));
}

/** If two lines have at least this much in common at their start, only the end of it is shown. */
const LONG_HEAD = 60;
const KEPT_HEAD = 20;

/** Two long lines, from shortly before the first difference. */
function withoutCommonHead(before: Texts, after: Texts): [before: Texts, after: Texts] {
  const [old = "", ...moreOld] = before;
  const [next = "", ...moreNext] = after;
  const length = commonLength(old.length, next.length, (at) => old.charCodeAt(at) === next.charCodeAt(at));
  if (moreOld.length > 0 || moreNext.length > 0 || length < LONG_HEAD || old === next) return [before, after];
  const start = length - KEPT_HEAD;
  // Not between the two units of one character.
  const from = /[\udc00-\udfff]/.test(old.charAt(start)) ? start - 1 : start;
  const rest = (text: string) => [`… ${from} equal characters … ${text.slice(from)}`];
  return [rest(old), rest(next)];
}

function commonLength(a: number, b: number, isEqualAt: (index: number) => boolean): number {
  let length = 0;
  while (length < a && length < b && isEqualAt(length)) length++;
  return length;
}

function fieldLines(label: string, before: Texts, after: Texts, isSame = isDeepStrictEqual(before, after)): Line[] {
  const changes = isSame ? before.map((text) => line(`  ${text}`, "muted")) : changedLines(before, after);
  return changes.map((change, index) => labelled(index === 0 ? label : "", change));
}

function changedLines(before: Texts, after: Texts): Line[] {
  // Two masked values look the same and still differ.
  const isHidden = isDeepStrictEqual(before, after);
  const [length, nextLength] = isHidden ? [0, 0] : [before.length, after.length];
  const head = commonLength(length, nextLength, (at) => before[at] === after[at]);
  const end = commonLength(length - head, nextLength - head, (at) => before.at(-1 - at) === after.at(-1 - at));
  return [
    ...equalLines(head),
    ...before.slice(head, before.length - end).map((text) => line(`- ${text}`, "danger")),
    ...after.slice(head, after.length - end).map((text) => line(`+ ${text}`, "success")),
    ...equalLines(end),
  ];
}

function equalLines(count: number): Line[] {
  return count === 0 ? [] : [line(`  … ${count} equal ${count === 1 ? "line" : "lines"}`, "muted")];
}
