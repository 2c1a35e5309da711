import { ALL_COMMANDS } from "./all-commands.js";
import { browseKey } from "./browse.js";
import { commandKey } from "./command-line.js";
import { applied, confirmKey } from "./confirm.js";
import { compared, diffKey, notCompared } from "./diff.js";
import { filterKey } from "./filter.js";
import { formKey, prepared, refused } from "./form.js";
import { helpLines } from "./help-lines.js";
import { helpKey } from "./help-mode.js";
import { layoutOf } from "./layout.js";
import { failed, loaded, loadWhenDue, progressed, withLoaded } from "./loading.js";
import type { Key, Message } from "./message.js";
import { tell } from "./notices.js";
import { pickKey } from "./pick.js";
import { inView } from "./relist.js";
import { decrypted, decryptSelected } from "./reveal.js";
import type { State } from "./state.js";
import { type Step, step } from "./step.js";
import { textColumns } from "./text-columns.js";

/** What any message makes of the state. */
export function update(state: State, message: Message): Step {
  if ("generation" in message && message.generation !== state.loaded.generation) return step(state);
  switch (message.type) {
    case "key":
      return pressed(state, message.key);
    case "resize":
      return step(inView({ ...state, columns: message.columns, rows: message.rows }));
    case "tick":
      return loadWhenDue(expire({ ...state, now: message.now }));
    case "opened":
      return step(withLoaded(state, { isEditable: message.isEditable }));
    case "progress":
      return step(progressed(state, message.entries, message.total));
    case "loaded":
      return decryptSelected(loaded(state, message));
    case "failed":
      return step(failed(state, message.failure, message.now));
    case "rateLimit":
      return step(withLoaded(state, { rateLimit: message.rateLimit }));
    case "decrypted":
      return step(decrypted(state, message.sealed, message.text));
    case "notDecrypted":
      return step(tell(state, message.failure.message, "error"));
    case "copied":
      return step(copied(state, message));
    case "prepared":
      return step(prepared(state, message.edit));
    case "refused":
      return step(refused(state, message.failure));
    case "applied":
      return applied(state);
    case "compared":
      return step(compared(state, message.place, message.entries));
    case "notCompared":
      return step(notCompared(state, message.place, message.failure));
  }
}

/** What is being typed or shown gets the keys, but for those that end or suspend everything. */
function pressed(state: State, key: Key): Step {
  const { mode } = state;
  if (key.name === "ctrl-c") return step(state, { type: "quit" });
  if (key.name === "ctrl-z") return step(state, { type: "suspend" });
  const [next, effects] = pressedIn(state, key);
  const isEntered = next.mode.kind !== mode.kind && next.mode.kind !== "browse";
  // What was told before is not to hide the keys of what comes now.
  return isEntered && next.notice === state.notice ? [{ ...next, notice: undefined }, effects] : [next, effects];
}

function pressedIn(state: State, key: Key): Step {
  const { mode } = state;
  switch (mode.kind) {
    case "browse":
      return browseKey(state, key, ALL_COMMANDS);
    case "filter":
      return filterKey(state, mode, key);
    case "command":
      return commandKey(state, mode, key, ALL_COMMANDS);
    case "help":
      return helpKey(state, mode, key, helpLineCount(state));
    case "pick":
      return pickKey(state, mode, key);
    case "diff":
      return diffKey(state, mode, key);
    case "form":
      return formKey(state, mode, key);
    case "confirm":
      return confirmKey(state, mode, key);
  }
}

function helpLineCount(state: State): number {
  return helpLines(ALL_COMMANDS, textColumns(layoutOf(state).body)).length;
}

/** Away with what was for a while only. */
function expire(state: State): State {
  const { now, revealed, marks, notice } = state;
  const isOver = (item: { until: number } | undefined) => item !== undefined && item.until <= now;
  return {
    ...state,
    revealed: isOver(revealed) ? undefined : revealed,
    marks: isOver(marks) ? undefined : marks,
    notice: isOver(notice) ? undefined : notice,
  };
}

function copied(state: State, { what, outcome }: Extract<Message, { type: "copied" }>): State {
  if (outcome.kind === "failed") return tell(state, `can't copy ${what}: ${outcome.reason}`, "error");
  if (outcome.kind === "clipboard") return tell(state, `copied ${what} to the clipboard`, "success");
  return tell(state, `sent ${what} to the terminal's clipboard (OSC 52): ${outcome.reason}`);
}
