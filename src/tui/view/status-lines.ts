import { formatDuration } from "../../kit/text/duration.js";
import { command } from "../../kit/text/shell.js";
import { gridOf } from "../stack/grid.js";
import { shownKey } from "../state/command.js";
import { type PlaceInfo, placeName } from "../state/places.js";
import { readingOf } from "../state/readings.js";
import type { State } from "../state/state.js";
import { notSearched, parseFilter } from "../table/filter.js";
import { listOf } from "../table/selection.js";
import { visibleText } from "../text/graphemes.js";
import { countOf, countText, type Line, line, spaced, wrapLine, wrapLines } from "../text/line.js";
import type { Role } from "../text/theme.js";

/**
 * `1,200 of 100,000` during the first read, `""` before its first page,
 * otherwise `undefined`.
 */
export function progressText(state: State): string | undefined {
  const { failure, isComplete, entries, total } = readingOf(state);
  if (isComplete || failure) return undefined;
  return total > 0 ? `${countText(entries.length)} of ${countText(total)}` : "";
}

/** `12 variables`, or how many are listed or have been read. */
export function countsText(state: State): string {
  const { list } = state;
  const { isComplete, isReading, entries } = readingOf(state);
  if (!isComplete)
    return isReading ? `reading… ${progressText(state) ?? ""}`.trimEnd() : "not read";
  if (list.filter !== "" || list.rowFilter)
    return `${countText(listOf(state).rows.length)} of ${countText(entries.length)}`;
  return countOf(entries.length, "variable");
}

/**
 * Says why a table has no rows: it has not been read, its filter finds nothing,
 * or else `otherwise`.
 */
export function emptyLines(state: State, width: number, otherwise: Line): Line[] {
  for (const { place } of gridOf(state).table.order) {
    const { isComplete, isReading, failure } = readingOf(state, place);
    if (failure && !isComplete) return statusLines(state, width, place);
    if (isReading || (!isComplete && place === state.place))
      return wrapLines(
        `reading ${placeName(state, place)}… ${progressText(state) ?? ""}`,
        width,
        "muted",
      );
    if (!isComplete)
      return wrapLines(`${placeName(state, place)} no longer exists`, width, "danger");
  }
  const notFound = whyNotFound(state);
  return notFound === undefined ? wrapLine(otherwise, width) : wrapLines(notFound, width, "muted");
}

/** Why a filter finds nothing. */
function whyNotFound(state: State): string | undefined {
  const { table, view } = gridOf(state);
  const { filter } = view;
  if (filter === "") return undefined;
  const { problem } = parseFilter(filter);
  if (problem !== undefined) return problem;
  const kind = notSearched(state, table, filter);
  const show = kind === "masked" ? `: ${shownKey(state, "reveal-all")} shows them` : "";
  const rest = kind ? `; ${kind} values were not searched${show}` : "";
  const among =
    state.stack.length === 0 && view.rowFilter ? ` among ${view.rowFilter} variables` : "";
  return `nothing matches "${filter}"${among}; ${shownKey(state, "back")} clears the filter${rest}`;
}

interface Status {
  readonly text: string;
  readonly role: Role;
  /** What the user can check. */
  readonly advice?: readonly string[];
  /**
   * `trying again in 5 s`, or `""` if the user has to retry, or each poll does.
   */
  readonly again: string;
}

function statusOf(state: State, place: number): Status | undefined {
  const { failure, problem, nextAt = 0, isReading } = readingOf(state, place);
  if (!failure)
    return problem === undefined ? undefined : { text: `! ${problem}`, role: "warning", again: "" };
  const { code, message, mayPass } = failure;
  const isTried = !mayPass && (nextAt > 0 || isReading);
  const wait = nextAt > state.time ? ` in ${untilText(nextAt, state.time)}` : "";
  const trouble = { role: "danger", again: isTried ? `trying again${wait}` : "" } as const;
  if (code === "unauthorized")
    return { ...trouble, ...refusedCredentials(message, state.places[place]) };
  return { ...trouble, text: code === "rate_limited" ? "✗ rate limit reached" : `✗ ${message}` };
}

function refusedCredentials(message: string, place?: PlaceInfo): Pick<Status, "text" | "advice"> {
  const text = `✗ ${place ? `${place.kind} ${place.name}` : "this place"}: ${message}`;
  if (place?.kind !== "profile")
    return { text, advice: ["check the credentials with: appvars doctor"] };
  const { name } = place;
  const check = command`check the credentials with: appvars doctor --profile ${name}`;
  return { text, advice: [check, command`replace them with: appvars profile add ${name} --force`] };
}

/** What is wrong with a place whose variables are still listed. */
export function statusLine(state: State, place = state.place): Line | undefined {
  const trouble = statusOf(state, place);
  if (!trouble) return undefined;
  const { text, role, again } = trouble;
  const rest = role === "danger" ? `; ${shownKey(state, "refresh")} tries again` : "";
  return line(visibleText(again === "" ? text + rest : text.replace(" ", ` ${again}: `)), role);
}

/** What is wrong with a place, and what to do. */
export function statusLines(state: State, width: number, place = state.place): Line[] {
  const trouble = statusOf(state, place);
  if (!trouble) return [];
  const { text, role, advice = [], again } = trouble;
  const refresh = `${shownKey(state, "refresh")} tries ${again === "" ? "again" : "now"}`;
  const rest =
    role === "danger" ? [...advice, again === "" ? refresh : `${again}; ${refresh}`] : [];
  return spaced([
    wrapLines(text, width, role),
    rest.flatMap((each) => wrapLines(each, width, "muted")),
  ]);
}

/** `12 s`, rounded up. */
export function untilText(then: number, now: number): string {
  return formatDuration(Math.max(0, Math.ceil((then - now) / 1_000)) * 1_000);
}
