import { durationText } from "../../domain/printable.js";
import { command } from "../../domain/shell.js";
import { keyOf } from "../state/command.js";
import { type Failure, readingOf } from "../state/reading.js";
import type { State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { countText, type Line, line, spaced, wrapLines } from "../text/line.js";
import { whyNotFound } from "./table.js";

/** The progress of the first read: `1,200 of 100,000`, or `""` before its first page; undefined if there is none. */
export function progressText(state: State): string | undefined {
  const { failure, isComplete, entries, total } = readingOf(state);
  if (isComplete || failure) return undefined;
  return total > 0 ? `${countText(entries.length)} of ${countText(total)}` : "";
}

export function emptyListLines(state: State, width: number): Line[] {
  const { places, place } = state;
  const { failure, isComplete } = readingOf(state);
  if (failure && !isComplete) return failureLines(state, place, failure, width);
  const progress = progressText(state);
  if (progress !== undefined) return wrapLines(`reading ${places[place]?.name ?? ""}… ${progress}`, width, "muted");
  return wrapLines(emptyText(state), width, "muted");
}

function emptyText(state: State): string {
  const { entries, isEditable } = readingOf(state);
  if (entries.length === 0) return `no variables yet${isEditable ? `; ${keyOf(state, "add")} adds one` : ""}`;
  return whyNotFound(state) ?? `no variable is of type ${state.list.only}; ${keyOf(state, "type")} shows other types`;
}

/** The problem of a place whose variables are listed, on one line; undefined if there is none. */
export function problemLine(state: State): Line | undefined {
  const { failure, problem } = readingOf(state);
  if (failure) return line(`✗ ${visibleText(failureLine(state, failure))}`, "danger");
  return problem === undefined ? undefined : line(`! ${visibleText(problem)}`, "warning");
}

export function problemLines(state: State, width: number): Line[] {
  const { failure, problem } = readingOf(state);
  if (failure) return failureLines(state, state.place, failure, width);
  return problem === undefined ? [] : wrapLines(`! ${problem}`, width, "warning");
}

/** Why a place can't be read, and what to do. Only the open one is tried again by itself. */
export function failureLines(state: State, place: number, failure: Failure, width: number): Line[] {
  const again = place === state.place ? retryText(state) : "";
  const { what, advice } = describeFailure(state, place, failure);
  const refresh = `${keyOf(state, "refresh")} tries ${again === "" ? "again" : "now"}`;
  const retry = again === "" || failure.code === "rate_limited" ? refresh : `${again}; ${refresh}`;
  const rest = [...advice, retry].flatMap((text) => wrapLines(text, width, "muted"));
  return spaced([wrapLines(`✗ ${what}`, width, "danger"), rest]);
}

function failureLine(state: State, failure: Failure): string {
  const again = retryText(state);
  const { what } = describeFailure(state, state.place, failure);
  if (again === "") return `${what}; ${keyOf(state, "refresh")} tries again`;
  return failure.code === "rate_limited" ? what : `${again}: ${what}`;
}

/** The failure of a place; for refused credentials also whose they are, and the check to make. */
export function describeFailure(state: State, index: number, failure: Failure) {
  const place = state.places[index];
  if (failure.code === "rate_limited") return { what: rateLimitText(state, index), advice: [] };
  if (failure.code !== "unauthorized") return { what: failure.message, advice: [] };
  const what = `${place ? `${place.kind} ${place.name}` : "this place"}: ${failure.message}`;
  if (place?.kind !== "profile") return { what, advice: ["check them with: appvars doctor"] };
  const { name } = place;
  const advice = [
    command`check them with: appvars doctor --profile ${name}`,
    command`new ones: appvars profile add ${name} --force`,
  ];
  return { what, advice };
}

/** Only the open place is tried again by itself. */
function rateLimitText(state: State, index: number): string {
  const { nextAt = 0 } = readingOf(state, index);
  const again =
    index === state.place ? retryText(state) : nextAt > state.now ? `wait ${untilText(nextAt, state.now)}` : "";
  return `rate limit reached${again && `: ${again}`}`;
}

/** When the next try is; `""` if that is up to the person, or one is made with each look for changes. */
function retryText(state: State): string {
  const { nextAt, failure, isReading } = readingOf(state);
  const { now } = state;
  if (failure?.mayPass) return "";
  if (nextAt === undefined) return isReading ? "trying again" : "";
  return nextAt > now ? `trying again in ${untilText(nextAt, now)}` : "trying again";
}

/** `12 s`: how long it is until then, rounded up to seconds. */
export function untilText(then: number, now: number): string {
  return durationText(Math.max(0, Math.ceil((then - now) / 1_000)) * 1_000);
}
