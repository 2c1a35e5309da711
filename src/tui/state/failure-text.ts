import { durationText } from "../../domain/duration-text.js";
import { isReading } from "./is-reading.js";
import type { Failure, Loaded, PlaceInfo, State } from "./state.js";

/** What a failure is, and what can be done about it, in words for people. */
export interface FailureText {
  readonly what: string;
  readonly advice: readonly string[];
}

/** Why the open place can't be read. */
export function failureText({ loaded, places, place, now }: State, failure: Failure): FailureText {
  const again = againText(loaded, now);
  if (failure.code === "rate_limited")
    return { what: `rate limit reached${again && `: ${again}`}`, advice: [again ? RETRY_NOW : RETRY] };
  const { what, advice } = refusalText(places[place], failure);
  return { what, advice: [...advice, again ? `${again}; ${RETRY_NOW}` : RETRY] };
}

/** What a failure of any place is; of refused credentials also whose they are, and what to check. */
export function refusalText(place: PlaceInfo | undefined, failure: Failure): FailureText {
  if (failure.code !== "unauthorized") return { what: failure.message, advice: [] };
  return { what: `${placeText(place)}: ${failure.message}`, advice: checks(place) };
}

/** The same on one line, what matters most first. */
export function failureLine(state: State, failure: Failure): string {
  const again = againText(state.loaded, state.now);
  const { what } = failureText(state, failure);
  if (again === "") return `${what}; ${RETRY}`;
  return failure.code === "rate_limited" ? what : `${again}: ${what}`;
}

/** `profile staging` */
function placeText(place: PlaceInfo | undefined): string {
  return place ? `${place.kind} ${place.name}` : "this place";
}

const RETRY = "r tries again";
const RETRY_NOW = "r tries now";

function againText(loaded: Loaded, now: number): string {
  const { nextAt } = loaded;
  if (nextAt === undefined) return isReading(loaded) ? "trying again" : "";
  return nextAt > now ? `trying again in ${durationText(Math.ceil((nextAt - now) / 1_000) * 1_000)}` : "trying again";
}

function checks(place: PlaceInfo | undefined): string[] {
  if (place?.kind !== "profile") return ["check them with: appvars doctor"];
  const { name } = place;
  return [`check them with: appvars doctor --profile ${name}`, `new ones: appvars profile add ${name} --force`];
}
