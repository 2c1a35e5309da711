import { durationText } from "../../domain/printable.js";
import { listOf } from "../reading/selection.js";
import { identityOf, isProduction, kindsOf } from "../state/places.js";
import { groupOf, readingOf } from "../state/reading.js";
import type { State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { countText, cutLine, fitLine, indented, type Line, lineWidth, type Span } from "../text/line.js";
import type { Role } from "../text/theme.js";
import { untilText } from "../view/status-lines.js";
import { sortArrow } from "../view/table.js";

const BRAND: Span = { text: "appvars  ", role: "accent" };
const MAX_NAME = 32;
const MIN_DETAIL = 14;

/** The open place and its state on one line, as far as there is room. */
export function headerLine(state: State): Line {
  const columns = state.columns - 2;
  const name = cutLine([nameSpan(state)], MAX_NAME);
  let left = columns - lineWidth(name);
  const fits = (part: Line) => {
    const isFitting = lineWidth(part) <= left;
    if (isFitting) left -= lineWidth(part);
    return isFitting;
  };
  const facts = factsOf(state).filter(fits).flat();
  const start = fits([BRAND]) ? [BRAND, ...name] : name;
  const details = left < MIN_DETAIL ? [] : cutLine([{ text: detailText(state), role: "muted" }], left);
  return indented([...fitLine([...start, ...details], columns - lineWidth(facts)), ...facts]);
}

function nameSpan({ places, place }: State): Span {
  const open = places[place];
  const name = (open?.kind === "environment" ? open.identity : undefined) ?? open?.name ?? "";
  return { text: visibleText(name), role: open && isProduction(open) ? "warning" : "text", isBold: true };
}

/** Where there is little room, the last ones are left out. */
function factsOf(state: State): Line[] {
  const { list, revealed, now } = state;
  const { rateLimit, asOf, isComplete, failure, problem } = readingOf(state);
  const facts: Line[] = [[{ text: `  ${countsText(state)}` }]];
  const add = (text: string, role: Role, isBold = false) => {
    facts.push([
      { text: " · ", role: "muted" },
      { text, role, isBold },
    ]);
  };
  if (revealed) add(`values shown ${untilText(revealed.until, now)}`, "warning", true);
  if (list.only) add(`only ${list.only}`, "text");
  if (list.sort !== "id" || list.isReversed) add(`by ${list.sort} ${sortArrow(list)}`, "text");
  if (rateLimit) {
    const isLow = rateLimit.remaining * 10 < rateLimit.limit;
    const text = `limit ${countText(rateLimit.remaining)}/${countText(rateLimit.limit)}${isLow ? "!" : ""}`;
    add(text, isLow ? "warning" : "muted");
  }
  const age = failure !== undefined || problem !== undefined ? "warning" : "muted";
  if (isComplete || asOf !== undefined) add(ageText(state), age);
  return facts;
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

/** The kind of the place, its identity besides the name, and where its data is. */
function detailText({ places, place }: State): string {
  const open = places[place];
  const facts = open ? [open.kind, identityOf(open) ?? "", ...kindsOf(open), open.detail] : [];
  return facts.map((text) => (text === "" ? "" : `  ${visibleText(text)}`)).join("");
}
