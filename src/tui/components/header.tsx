import { durationText } from "../../domain/duration-text.js";
import type { State } from "../state/state.js";
import { cellText } from "../text/cell-text.js";
import { countText } from "../text/count-text.js";
import { lineWidth } from "../text/fit-line.js";
import type { Line, Span } from "../text/line.js";
import { textWidth } from "../text/text-width.js";
import { visibleText } from "../text/visible-text.js";
import { TextLine } from "./text-lines.js";

interface HeaderProps {
  readonly state: State;
}

/** What is open and how it is, on one line: as much of it as there is room for. */
export function Header({ state }: HeaderProps) {
  return <TextLine line={headerLine(state)} />;
}

interface Part extends Span {
  /** What has less gives way first. */
  readonly weight: number;
}

const BETWEEN = " · ";
const LONGEST_NAME = 32;
/** The least of where it comes from that is worth showing. */
const SHORTEST_DETAIL = 12;

function headerLine(state: State): Line {
  const left = leftParts(state);
  const right = rightParts(state);
  const columns = state.columns - 2;
  const kept = keptParts(left, right, columns);
  const detail = detailSpans(state, columns - widthOf(left, right, kept));
  const start = [...joined(left, kept, "  "), ...detail];
  const end = joined(right, kept, BETWEEN);
  const gap = columns - lineWidth(start) - lineWidth(end);
  return [{ text: " " }, ...start, { text: " ".repeat(Math.max(0, gap)) }, ...end];
}

/** Those that there is room for, the weightiest first. */
function keptParts(left: readonly Part[], right: readonly Part[], columns: number): ReadonlySet<Part> {
  const kept = new Set<Part>();
  for (const part of [...left, ...right].sort((a, b) => b.weight - a.weight)) {
    if (widthOf(left, right, new Set([...kept, part])) <= columns) kept.add(part);
  }
  return kept;
}

function leftParts({ places, place }: State): Part[] {
  const { name = "" } = places[place] ?? {};
  const short = visibleText(name);
  const text = textWidth(short) > LONGEST_NAME ? cellText(name, LONGEST_NAME) : short;
  return [
    { text: "appvars", role: "accent", weight: 3 },
    { text, isBold: true, weight: 10 },
  ];
}

function rightParts(state: State): Part[] {
  const { loaded, list, revealed, now } = state;
  const parts: Part[] = [{ text: countsText(state), weight: 9 }];
  if (revealed) {
    const left = durationText(Math.max(0, Math.ceil((revealed.until - now) / 1_000)) * 1_000);
    parts.push({ text: `values shown ${left}`, role: "warning", isBold: true, weight: 8 });
  }
  if (list.type) parts.push({ text: `only ${list.type}`, weight: 7 });
  if (list.sort !== "id") parts.push({ text: `by ${list.sort}`, weight: 6 });
  const { rateLimit, asOf } = loaded;
  if (rateLimit) {
    const isLow = rateLimit.remaining * 10 < rateLimit.limit;
    const text = `limit ${countText(rateLimit.remaining)}/${countText(rateLimit.limit)}${isLow ? "!" : ""}`;
    parts.push({ text, role: isLow ? "warning" : "muted", weight: isLow ? 8 : 4 });
  }
  if (asOf !== undefined)
    parts.push({ text: `${durationText(Math.max(0, now - asOf))} old`, role: "muted", weight: 5 });
  return parts;
}

function countsText({ loaded: { phase, isComplete, entries, total }, list }: State): string {
  if (!isComplete) {
    if (phase === "failed") return "not read";
    return total > 0 ? `${countText(entries.length)} of ${countText(total)} read` : "reading…";
  }
  const count = countText(entries.length);
  if (list.filter !== "" || list.type) return `${countText(list.rows.length)} of ${count}`;
  return entries.length === 1 ? "1 variable" : `${count} variables`;
}

/** The kind of the place and where it is, as far as there is room. */
function detailSpans({ places, place }: State, room: number): Line {
  const { kind = "", detail = "" } = places[place] ?? {};
  const needed = textWidth(visibleText(detail));
  // Two spaces before each of them.
  if (needed + kind.length + 4 <= room) return [{ text: `  ${kind}  ${visibleText(detail)}`, role: "muted" }];
  const width = Math.min(needed, room - 2);
  return width < SHORTEST_DETAIL ? [] : [{ text: `  ${cellText(detail, width)}`, role: "muted" }];
}

function widthOf(left: readonly Part[], right: readonly Part[], kept: ReadonlySet<Part>): number {
  const [start, end] = [joined(left, kept, "  "), joined(right, kept, BETWEEN)];
  return lineWidth(start) + lineWidth(end) + (end.length > 0 ? 2 : 0);
}

function joined(parts: readonly Part[], kept: ReadonlySet<Part>, between: string): Span[] {
  return parts
    .filter((part) => kept.has(part) && part.text !== "")
    .flatMap(({ weight: _, ...span }, index) => (index === 0 ? [span] : [{ text: between, role: "muted" }, span]));
}
