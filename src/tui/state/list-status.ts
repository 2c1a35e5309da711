import { countText } from "../text/count-text.js";
import { type Line, line } from "../text/line.js";
import { visibleText } from "../text/visible-text.js";
import { wrapWords } from "../text/wrap-line.js";
import { failureLine, failureText } from "./failure-text.js";
import type { Failure, State } from "./state.js";

/** How far the first reading is: `1,200 of 100,000`, or `""` before its first page; undefined when it is done, or has failed. */
export function progressText({ loaded: { failure, isComplete, entries, total } }: State): string | undefined {
  if (isComplete || failure) return undefined;
  return total > 0 ? `${countText(entries.length)} of ${countText(total)}` : "";
}

/** What an empty list says of itself, in lines of at most `width` columns. */
export function emptyListLines(state: State, width: number): Line[] {
  const { loaded, list, places, place } = state;
  if (loaded.failure && !loaded.isComplete) return failureLines(state, loaded.failure, width);
  const progress = progressText(state);
  if (progress !== undefined) return wrapped(`reading ${places[place]?.name ?? ""}… ${progress}`, width);
  if (loaded.entries.length === 0) return wrapped(`no variables yet${loaded.isEditable ? "; a adds one" : ""}`, width);
  if (list.filter !== "") return wrapped(`nothing matches "${list.filter}"; Esc clears the filter`, width);
  return wrapped(`none is of type ${list.type ?? ""}; t shows other types`, width);
}

/** What is wrong while there is a list, on one line. */
export function problemLine(state: State): Line | undefined {
  const { failure, problem } = state.loaded;
  if (failure) return line(`✗ ${visibleText(failureLine(state, failure))}`, "danger");
  return problem === undefined ? undefined : line(`! ${visibleText(problem)}`, "warning");
}

/** The same in full, where there is more room for it; none while all is well. */
export function problemLines(state: State, width: number): Line[] {
  const { failure, problem } = state.loaded;
  if (failure) return failureLines(state, failure, width);
  if (problem === undefined) return [];
  return wrapWords(`! ${visibleText(problem)}`, width).map((text) => line(text, "warning"));
}

function failureLines(state: State, failure: Failure, width: number): Line[] {
  const { what, advice } = failureText(state, failure);
  const told = wrapWords(visibleText(`✗ ${what}`), width).map((text) => line(text, "danger"));
  return [...told, [], ...advice.flatMap((text) => wrapped(text, width))];
}

function wrapped(text: string, width: number): Line[] {
  return wrapWords(visibleText(text), width).map((each) => line(each, "muted"));
}
