import { suggestion } from "../../domain/nearest.js";
import type { Entry } from "../ports.js";
import type { Command } from "./command.js";
import { openCommandLine } from "./command-line.js";
import { askToDelete } from "./confirm.js";
import { openDiff } from "./diff.js";
import { openForm } from "./form.js";
import { openHelp } from "./help-mode.js";
import { tell } from "./notices.js";
import { openPick, otherPlaces } from "./pick.js";
import { selectedEntry } from "./selected-entry.js";
import type { State } from "./state.js";
import { type Step, step } from "./step.js";
import { askToUndo } from "./undo.js";

/** What changes variables, compares them, and helps. */
export const EDIT_COMMANDS: readonly Command[] = [
  {
    name: "edit",
    keys: ["e"],
    label: "edit",
    help: "change the type, the value and the description",
    group: "Edit",
    whyNot: (state) => whyNotEdit(state) ?? whyNoEntry(state),
    run: (state) => withEntry(state, (entry) => openForm(state, "edit", entry)),
  },
  {
    name: "add",
    keys: ["a"],
    label: "add",
    help: "add a variable",
    group: "Edit",
    whyNot: whyNotEdit,
    run: (state) => openForm(state, "add"),
  },
  {
    name: "delete",
    keys: ["x"],
    label: "delete",
    help: "delete the value from this environment",
    group: "Edit",
    whyNot: (state) => whyNotEdit(state) ?? whyNoEntry(state),
    run: (state) => withEntry(state, (entry) => askToDelete(state, entry)),
  },
  {
    name: "undo",
    keys: ["u"],
    label: "undo",
    help: "undo the last edit of this session; again for the one before",
    group: "Edit",
    whyNot: (state) => whyNotEdit(state) ?? whyNoUndo(state),
    run: askToUndo,
  },
  {
    name: "diff",
    keys: ["d"],
    label: "diff",
    help: "compare with another place, side by side",
    group: "Values",
    argument: "<place>",
    whyNot: whyNotRead,
    run: (state, argument) => (argument === "" ? openPick(state) : diffWith(state, argument)),
  },
  { name: "help", keys: ["?"], label: "help", help: "show all keys", group: "Other", run: openHelp },
  {
    name: "command",
    keys: [":"],
    label: undefined,
    help: "type a command by its name; Tab completes it",
    group: "Other",
    run: openCommandLine,
  },
];

function whyNotRead({ loaded: { isComplete, phase } }: State): string | undefined {
  if (isComplete) return undefined;
  return phase === "failed" ? "the variables could not be read" : "still reading";
}

function whyNotEdit(state: State): string | undefined {
  // Whether it can be edited is not known before it was opened.
  const isServers = state.loaded.isComplete && !state.loaded.isEditable;
  return isServers ? "a server's variables can't be changed from here" : whyNotRead(state);
}

function whyNoEntry(state: State): string | undefined {
  return selectedEntry(state) ? undefined : "no variable is selected";
}

function whyNoUndo({ undo }: State): string | undefined {
  return undo.length > 0 ? undefined : "nothing to undo";
}

function withEntry(state: State, use: (entry: Entry) => Step): Step {
  const entry = selectedEntry(state);
  return entry ? use(entry) : step(state);
}

function diffWith(state: State, name: string): Step {
  const others = otherPlaces(state);
  const place = others.find((index) => state.places[index]?.name === name);
  if (place !== undefined) return openDiff(state, place);
  if (state.places[state.place]?.name === name) return step(tell(state, `${name} is the open one`, "error"));
  const names = others.flatMap((index) => state.places[index]?.name ?? []);
  return step(tell(state, `there is no "${name}" to compare with${suggestion(name, names)}`, "error"));
}
