import { selectedEntry } from "../browse/list.js";
import { shownValue } from "../browse/reveal.js";
import { goToMatch, openSearch } from "../modes/search.js";
import { type Command, command, keyOf } from "../state/command.js";
import { type Step, step } from "../state/messages.js";
import { notify, type State } from "../state/state.js";
import { foundInRecord } from "../view/record-value.js";
import { jsonLevels } from "../view/value-lines.js";

const IN_RECORD = { panels: ["record"] } as const;

/** Commands for a long value. */
export const RECORD_COMMANDS: readonly Command[] = [
  command("Find", "search", "/", "in the record: search in the value that is shown", {
    ...IN_RECORD,
    disabledReason: whyNotShown,
    run: openSearch,
  }),
  command("Find", "next-match", "n", "in the record: go to the next match", {
    ...IN_RECORD,
    label: "next",
    disabledReason: whyNoMatch,
    run: (state) => step(goToMatch(state, 1)),
  }),
  command("Find", "previous-match", "N", "in the record: go to the previous match", {
    ...IN_RECORD,
    label: undefined,
    disabledReason: whyNoMatch,
    run: (state) => step(goToMatch(state, -1)),
  }),
  command("Values", "fold", "z", "fold JSON to its first level; repeat to unfold it level by level", {
    panels: ["variables", "record"],
    label: (state) => (state.focus === "record" ? "fold" : undefined),
    disabledReason: whyNotJson,
    run: fold,
  }),
];

function whyNotShown(state: State): string | undefined {
  const entry = selectedEntry(state);
  if (!entry) return "no variable is selected";
  const { kind } = shownValue(entry, state);
  if (kind === "masked") return `the value is masked; ${keyOf(state, "reveal")} shows it`;
  return kind === "shown" ? undefined : "there is no value to be seen";
}

function whyNoMatch(state: State): string | undefined {
  const found = foundInRecord(state);
  if (!found) return `nothing is searched; ${keyOf(state, "search")} searches in the value`;
  return found.count > 0 ? undefined : "nothing is found";
}

function whyNotJson(state: State): string | undefined {
  const isJson = selectedEntry(state)?.variable.type === "JSON";
  return whyNotShown(state) ?? (isJson ? undefined : "the value isn't JSON");
}

function fold(state: State): Step {
  const entry = selectedEntry(state);
  const shown = entry && shownValue(entry, state);
  if (!entry || shown?.kind !== "shown") return step(state);
  const { name } = entry.variable;
  const levels = jsonLevels(shown.text);
  if (levels < 2) return step(notify(state, "there is nothing to fold"));
  const folds = new Map(state.folds);
  const next = (folds.get(name) ?? 0) + 1;
  if (next < levels) folds.set(name, next);
  else folds.delete(name);
  return step({ ...state, folds, recordTop: 0 });
}
