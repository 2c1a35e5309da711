import { durationText } from "../../domain/printable.js";
import { listOf } from "../reading/selection.js";
import { identityOf, isProduction } from "../state/places.js";
import { groupOf, readingOf } from "../state/reading.js";
import type { State } from "../state/state.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import { countText, cutLine, fitLine, indented, type Line, lineWidth, type Span } from "../text/line.js";
import { untilText } from "../view/status-lines.js";
import { sortArrow } from "../view/table.js";

interface Part {
  readonly spans: Line;
  readonly side: "left" | "right";
  /** Where there is little room, parts with less weight are left out. */
  readonly weight: number;
}

const MAX_NAME = 32;
const MAX_IDENTITY = 40;
const MIN_DETAIL = 14;

/** The open place and its state on one line, as far as there is room. */
export function headerLine(state: State): Line {
  const columns = state.columns - 2;
  const parts = fitting(partsOf(state), columns);
  const on = (side: Part["side"]) => parts.flatMap((part) => (part.side === side ? part.spans : []));
  const [start, end] = [on("left"), on("right")];
  const left = columns - lineWidth(end);
  return indented([...fitLine([...start, ...details(state, left - lineWidth(start))], left), ...end]);
}

function fitting(parts: readonly Part[], columns: number): readonly Part[] {
  let kept: readonly Part[] = [];
  for (const part of parts.toSorted((a, b) => b.weight - a.weight)) {
    const more = parts.filter((each) => each === part || kept.includes(each));
    if (lineWidth(more.flatMap(({ spans }) => spans)) <= columns) kept = more;
  }
  return kept;
}

function partsOf(state: State): Part[] {
  const { places, place, list, revealed, now } = state;
  const reading = readingOf(state);
  const { rateLimit, asOf, isComplete, failure, problem } = reading;
  const open = places[place];
  const name = visibleText((open?.kind === "environment" ? open.identity : undefined) ?? open?.name ?? "");
  const nameSpan: Span = { text: name, role: open && isProduction(open) ? "warning" : "text", isBold: true };
  const parts: Part[] = [
    { side: "left", spans: [{ text: "appvars  ", role: "accent" }], weight: 3 },
    { side: "left", spans: cutLine([nameSpan], MAX_NAME), weight: 10 },
    { side: "right", spans: [{ text: `  ${countsText(state)}` }], weight: 9 },
  ];
  const add = (text: string, weight: number, look: Omit<Span, "text"> = {}) =>
    void parts.push({
      side: "right",
      spans: [
        { text: " · ", role: "muted" },
        { text, ...look },
      ],
      weight,
    });
  if (revealed) add(`values shown ${untilText(revealed.until, now)}`, 8, { role: "warning", isBold: true });
  if (list.only) add(`only ${list.only}`, 7);
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

function countsText(state: State): string {
  const { list } = state;
  const { isComplete, isReading, entries, total } = readingOf(state);
  const count = countText(entries.length);
  if (!isComplete) {
    if (!isReading) return "not read";
    return total > 0 ? `${count} of ${countText(total)} read` : "reading…";
  }
  if (list.filter !== "" || list.only) return `${countText(listOf(state).rows.length)} of ${count}`;
  return entries.length === 1 ? "1 variable" : `${count} variables`;
}

/** The kind of the place, its identity besides the name, and its detail, as far as they fit. */
function details({ places, place }: State, room: number): Line {
  const open = places[place];
  if (!open) return [];
  const identity = cutLine([{ text: visibleText(identityOf(open) ?? "") }], MAX_IDENTITY);
  const facts = [
    open.kind,
    open.isSealed ? "sealed" : "",
    ...identity.map(({ text }) => text),
    visibleText(open.detail),
  ];
  const texts = facts.filter((text) => text !== "").map((text) => `  ${text}`);
  if (textWidth(texts.join("")) <= room) return [{ text: texts.join(""), role: "muted" }];
  return room < MIN_DETAIL ? [] : cutLine([{ text: texts.slice(1).join(""), role: "muted" }], room);
}
