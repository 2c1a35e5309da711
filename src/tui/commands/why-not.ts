import { NEEDS_SEAL_KEY } from "../../model/seal-key.js";
import { isSealedText } from "../../model/variable.js";
import { actsOnMarked, gridOf, whyNoName } from "../stack/grid.js";
import { groupOf, placeName, whyReadOnly } from "../state/places.js";
import { readingOf } from "../state/readings.js";
import { STILL_READING, type State } from "../state/state.js";

/** Returns why the variable does not exist or has no value. */
export function whyNoEntry(state: State, wanted: "entry" | "value"): string | undefined {
  const { name, entry, place } = gridOf(state);
  if (name === undefined || (wanted === "value" ? entry?.value : entry)) return whyNoName(state);
  const where = state.stack.length > 0 ? `in ${placeName(state, place)}` : "here";
  return whyNotRead(state, place) ?? `${name} has no value ${where}`;
}

/**
 * Returns what `whyNoEntry` does, except for commands that act on marked
 * variables.
 */
export function whyNoTarget(state: State, wanted: "entry" | "value" = "entry"): string | undefined {
  return actsOnMarked(state) ? undefined : whyNoEntry(state, wanted);
}

/**
 * Returns why nothing can be revealed. If the application has several
 * environments, the screen may show another value.
 */
export function whyNoReveal(state: State): string | undefined {
  const { name, entry } = gridOf(state);
  if (isSealedText(entry?.value?.content.value)) return `${name} ${NEEDS_SEAL_KEY}`;
  return groupOf(state).length > 1 ? whyNoName(state) : whyNoEntry(state, "value");
}

export function whyNotRead(state: State, place = state.place): string | undefined {
  const { isComplete, isReading } = readingOf(state, place);
  if (isComplete) return undefined;
  return isReading ? STILL_READING : "the variables can't be read";
}

export function whyNotEdit(state: State): string | undefined {
  const { place } = gridOf(state);
  return whyReadOnly(state, place) ?? whyNotRead(state, place);
}

export function whyNoEnvironments(state: State): string | undefined {
  const { place } = gridOf(state);
  const { isServer, readOnly } = state.places[place] ?? {};
  return isServer
    ? "the environments of a server can't be changed here"
    : (readOnly ?? whyNotRead(state, place));
}

export function whyEmpty(state: State): string | undefined {
  return gridOf(state).table.names.length > 0
    ? undefined
    : (whyNotRead(state) ?? "there are no variables");
}
