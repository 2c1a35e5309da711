import { suggestion } from "../../domain/nearest.js";
import { openCommandLine } from "../modes/command-line.js";
import { confirmDelete, confirmUndo } from "../modes/confirm.js";
import { openDiff } from "../modes/diff.js";
import { openForm } from "../modes/form.js";
import { openHelp } from "../modes/help.js";
import { openPick, otherPlaceNames } from "../modes/pick.js";
import { type Command, command } from "../state/command.js";
import { notify, type State, type Step, step } from "../state/state.js";
import { whyNoEntry, withEntry } from "./value-commands.js";

export const EDIT_COMMANDS: readonly Command[] = [
  command("Edit", "edit", "e", "change the type, the value and the description", {
    label: "edit",
    disabledReason: (state) => whyNotEdit(state) ?? whyNoEntry(state),
    run: withEntry((state, entry) => openForm(state, "edit", entry)),
  }),
  command("Edit", "add", "a", "add a variable", {
    label: "add",
    disabledReason: whyNotEdit,
    run: (state) => openForm(state, "add"),
  }),
  command("Edit", "delete", "x", "delete the value from this environment", {
    label: "delete",
    disabledReason: (state) => whyNotEdit(state) ?? whyNoEntry(state),
    run: withEntry(confirmDelete),
  }),
  command("Edit", "undo", "u", "undo the last edit of this session; repeat for earlier ones", {
    label: "undo",
    disabledReason: (state) => whyNotEdit(state) ?? whyNoUndo(state),
    run: confirmUndo,
  }),
  command("Values", "diff", "d", "compare with another place, side by side", {
    label: "diff",
    argument: "<place>",
    choices: otherPlaceNames,
    disabledReason: whyNotRead,
    run: (state, argument) => (argument === "" ? openPick(state) : diffWith(state, argument)),
  }),
  command("Other", "help", "?", "show all keys", { label: "help", run: openHelp }),
  command("Other", "command", ":", "type a command by its name; Tab completes it", { run: openCommandLine }),
];

function whyNotRead({ loaded: { isComplete, phase } }: State): string | undefined {
  if (isComplete) return undefined;
  return phase === "failed" ? "the variables can't be read" : "still reading";
}

function whyNotEdit(state: State): string | undefined {
  // A place that has not been opened yet may be editable.
  const isReadOnly = state.loaded.isComplete && !state.loaded.isEditable;
  return isReadOnly ? "the variables of a server can't be edited here" : whyNotRead(state);
}

function whyNoUndo({ undo }: State): string | undefined {
  return undo.length > 0 ? undefined : "nothing to undo";
}

function diffWith(state: State, name: string): Step {
  const { places, place } = state;
  const other = places.findIndex((each, index) => index !== place && each.name === name);
  if (other >= 0) return openDiff(state, other);
  if (places[place]?.name === name) return step(notify(state, `${name} is the open place`, "error"));
  return step(notify(state, `there is no other place "${name}"${suggestion(name, otherPlaceNames(state))}`, "error"));
}
