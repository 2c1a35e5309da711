import { isEncrypted, valueText } from "../../domain/variable.js";
import type { Assigned } from "../ports.js";
import { type Line, line } from "../text/line.js";
import { visibleText } from "../text/visible-text.js";
import { textLines } from "./record-lines.js";
import { MASK } from "./shown-value.js";
import type { Confirmation } from "./state.js";

const LABEL_WIDTH = 13;

/**
 * An edit as `- old` and `+ new` lines of type, description and value; the values masked unless they are revealed.
 *
 * @param typed the new value as it was typed, before it was encrypted
 */
export function editLines(
  { edit: { before, after }, isRevealed }: Pick<Confirmation, "edit" | "isRevealed">,
  typed?: string,
): Line[] {
  return [
    ...fieldLines("type", typeLines(before), typeLines(after)),
    ...fieldLines("description", descriptionLines(before), descriptionLines(after)),
    ...fieldLines(
      "value",
      ...withoutCommonHead(valueLines(before, isRevealed), valueLines(after, isRevealed, typed)),
      isSameValue(before, after),
    ),
  ];
}

type Texts = readonly string[];

function typeLines(item: Assigned | undefined): Texts {
  return item ? [item.type] : [];
}

function descriptionLines(item: Assigned | undefined): Texts {
  return item && item.description !== "" ? [visibleText(item.description)] : [];
}

function valueLines(item: Assigned | undefined, isRevealed: boolean, typed?: string): Texts {
  if (!item) return [];
  if (!isRevealed) return [MASK];
  if (isEncrypted(item.value)) return typed === undefined ? ["(encrypted)"] : typed.split("\n").map(visibleText);
  return textLines(valueText(item.value), item.type).map((spans) => spans.map((span) => span.text).join(""));
}

/** So much that two lines begin with is not shown, but for its end. */
const LONG_HEAD = 60;
const KEPT_HEAD = 20;

/** Two long lines from shortly before where they begin to differ. */
function withoutCommonHead(before: Texts, after: Texts): [before: Texts, after: Texts] {
  const [old = "", ...moreOld] = before;
  const [next = "", ...moreNext] = after;
  const length = commonHead(old, next);
  if (moreOld.length > 0 || moreNext.length > 0 || length < LONG_HEAD || old === next) return [before, after];
  const from = wholeCharacter(old, length - KEPT_HEAD);
  const rest = (text: string) => [`… ${from} equal characters … ${text.slice(from)}`];
  return [rest(old), rest(next)];
}

function commonHead(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

/** Not between the two units of one character. */
function wholeCharacter(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;
}

function isSameValue(before: Assigned | undefined, after: Assigned | undefined): boolean {
  return before !== undefined && after !== undefined && valueText(before.value) === valueText(after.value);
}

function fieldLines(label: string, before: Texts, after: Texts, isSame = isEqual(before, after)): Line[] {
  if (isSame && before.length === 0) return [];
  if (isSame) return before.map((text, index) => labelled(index === 0 ? label : "", line(`  ${text}`, "muted")));
  const start = before.findIndex((text, index) => text !== after[index]);
  const head = start < 0 ? before.length : start;
  // What is masked is equal in all that is seen, and yet it is another.
  const isHidden = isEqual(before, after);
  const from = isHidden ? 0 : head;
  const end = isHidden ? 0 : commonEnd(before.slice(from), after.slice(from));
  const changes = [
    ...equalLines(from),
    ...before.slice(from, before.length - end).map((text) => line(`- ${text}`, "danger")),
    ...after.slice(from, after.length - end).map((text) => line(`+ ${text}`, "success")),
    ...equalLines(end),
  ];
  return changes.map((change, index) => labelled(index === 0 ? label : "", change));
}

function labelled(label: string, content: Line): Line {
  return [{ text: label.padEnd(LABEL_WIDTH), role: "muted" }, ...content];
}

function equalLines(count: number): Line[] {
  return count === 0 ? [] : [line(`  … ${count} equal ${count === 1 ? "line" : "lines"}`, "muted")];
}

function isEqual(before: Texts, after: Texts): boolean {
  return before.length === after.length && before.every((text, index) => text === after[index]);
}

function commonEnd(before: Texts, after: Texts): number {
  const most = Math.min(before.length, after.length);
  let count = 0;
  while (count < most && before[before.length - 1 - count] === after[after.length - 1 - count]) count++;
  return count;
}
