import { durationText } from "../../domain/printable.js";
import { sortArrow } from "../screens/list.js";
import { identityOf, isProduction } from "../state/places.js";
import { groupOf, type Reading, readingOf } from "../state/reading.js";
import type { List, State } from "../state/state.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import {
  cellText,
  countText,
  fitLine,
  fitText,
  indented,
  type Line,
  line,
  lineWidth,
  type Span,
} from "../text/line.js";
import { untilText } from "../view/status-lines.js";

interface Part extends Span {
  readonly side: "left" | "right";
  /** Where there is little room, parts with less weight are left out. */
  readonly weight: number;
}

const SEPARATORS = { left: "  ", right: " · " } as const;
const MAX_NAME = 32;
const MIN_DETAIL = 12;

/** The open place and its state on one line, as far as there is room. */
export function headerLine(state: State): Line {
  const columns = state.columns - 2;
  const parts = fittingParts(partsOf(state), columns);
  const start = [...joined(parts, "left"), ...detailSpans(state, columns - widthOf(parts))];
  const end = joined(parts, "right");
  return indented([...fitLine(start, columns - lineWidth(end)), ...end]);
}

function fittingParts(parts: readonly Part[], columns: number): readonly Part[] {
  let kept: readonly Part[] = [];
  for (const part of parts.toSorted((a, b) => b.weight - a.weight)) {
    const more = parts.filter((each) => each === part || kept.includes(each));
    if (widthOf(more) <= columns) kept = more;
  }
  return kept;
}

function widthOf(parts: readonly Part[]): number {
  const end = joined(parts, "right");
  return lineWidth(joined(parts, "left")) + lineWidth(end) + (end.length > 0 ? 2 : 0);
}

function joined(parts: readonly Part[], side: Part["side"]): Span[] {
  return parts
    .filter((part) => part.side === side && part.text !== "")
    .flatMap(({ weight: _, side: __, ...span }, index) =>
      index === 0 ? [span] : [{ text: SEPARATORS[side], role: "muted" }, span],
    );
}

function partsOf(state: State): Part[] {
  const { places, place, list, revealed, now } = state;
  const reading = readingOf(state);
  const open = places[place];
  const name = (open?.kind === "environment" ? open.identity : undefined) ?? open?.name ?? "";
  const look = open && isProduction(open) ? ({ role: "warning" } as const) : {};
  const { rateLimit, asOf, isComplete, failure, problem } = reading;
  const parts: Part[] = [
    { side: "left", text: "appvars", role: "accent", weight: 3 },
    { side: "left", text: cutText(name, MAX_NAME), ...look, isBold: true, weight: 10 },
    { side: "right", text: countsText(reading, list), weight: 9 },
  ];
  const add = (text: string, weight: number, look: Omit<Span, "text"> = {}) =>
    void parts.push({ side: "right", text, weight, ...look });
  if (revealed) add(`values shown ${untilText(revealed.until, now)}`, 8, { role: "warning", isBold: true });
  if (list.type) add(`only ${list.type}`, 7);
  if (list.sort !== "id" || list.isReversed) add(`by ${list.sort} ${sortArrow(list)}`, 6);
  if (rateLimit) {
    const isLow = rateLimit.remaining * 10 < rateLimit.limit;
    const text = `limit ${countText(rateLimit.remaining)}/${countText(rateLimit.limit)}${isLow ? "!" : ""}`;
    add(text, isLow ? 8 : 4, { role: isLow ? "warning" : "muted" });
  }
  if (isComplete || asOf !== undefined) {
    const isStale = failure !== undefined || problem !== undefined;
    add(ageText(state), isStale ? 8 : 5, { role: isStale ? "warning" : "muted" });
  }
  return parts;
}

/** `5 s old`; on a screen that shows other places, those of servers can be older. */
function ageText(state: State): string {
  const { asOf: own } = readingOf(state);
  if (own === undefined) return "age unknown";
  const others = state.stack.length > 0 ? groupOf(state).map((place) => readingOf(state, place)) : [];
  const oldest = Math.min(own, ...others.flatMap(({ isLocal, asOf }) => (isLocal ? [] : (asOf ?? []))));
  const [age, most] = [own, oldest].map((asOf) => durationText(Math.max(0, state.now - asOf)));
  return age === most ? `${age} old` : `up to ${most} old`;
}

function cutText(text: string, max: number): string {
  const visible = visibleText(text);
  return textWidth(visible) > max ? cellText(text, max) : visible;
}

function countsText({ isComplete, isReading, entries, total }: Reading, list: List): string {
  const count = countText(entries.length);
  if (!isComplete) {
    if (!isReading) return "not read";
    return total > 0 ? `${count} of ${countText(total)} read` : "reading…";
  }
  if (list.filter !== "" || list.type) return `${countText(list.rows.length)} of ${count}`;
  return entries.length === 1 ? "1 variable" : `${count} variables`;
}

const MAX_IDENTITY = 40;

/** The kind of the place, its identity besides the name, and its detail, as far as they fit. */
function detailSpans({ places, place }: State, room: number): Line {
  const open = places[place];
  if (!open) return [];
  const identity = cutText(identityOf(open) ?? "", MAX_IDENTITY);
  const detail = visibleText(open.detail);
  const facts = [identity, detail].filter((text) => text !== "");
  const full = [open.kind, ...facts].map((text) => `  ${text}`).join("");
  if (textWidth(full) <= room) return line(full, "muted");
  const text = facts.join("  ");
  const width = Math.min(textWidth(text), room - 2);
  return width < MIN_DETAIL ? [] : line(`  ${fitText(text, width)}`, "muted");
}
