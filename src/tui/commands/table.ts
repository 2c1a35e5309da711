import { openEditor, openForm } from "../edit/form.js";
import { copyTo, deleteFrom, redo, undo, whyNoRedo, whyNoUndo } from "../edit/planning.js";
import { reload } from "../reading/read.js";
import { toggleAllRevealed, toggleRevealed } from "../reading/reveal.js";
import { openCommandLine } from "../screens/command-line.js";
import { openDiff } from "../screens/diff.js";
import { openHelp } from "../screens/help.js";
import { openHistory } from "../screens/history.js";
import { openMatrix } from "../screens/matrix.js";
import {
  editablePlaceChoices,
  findPlace,
  openCopyTo,
  openDeleteIn,
  otherPlaceChoices,
  placeChoices,
} from "../screens/places.js";
import { type Command, command, EVERYWHERE, whereOf } from "../state/command.js";
import { healthOf, readingOf } from "../state/reading.js";
import { PANELS, type State } from "../state/state.js";
import { calling, step } from "../state/work.js";
import { openFilter } from "../view/filter.js";
import { quit } from "../view/question.js";
import { selectionOf, targetsOf } from "../view/screen.js";
import { clearable, filtered } from "../view/table.js";
import { MOVES } from "../widgets/list.js";
import {
  diffSelected,
  IN_TABLE,
  ifListed,
  ifOpen,
  MATRIX_CHOICES,
  nextSort,
  nextType,
  ON_SELECTED,
  ON_VARIABLE,
  onEntry,
  onTargets,
  reverseSort,
  sortChoices,
  TYPE_CHOICES,
  whyNoEntry,
  whyNoEnvironments,
  whyNoOther,
  whyNoReveal,
  whyNoTarget,
  whyNoTargetValue,
  whyNotEdit,
  whyNotRead,
} from "./choose.js";
import { COPY_ALL_CHOICES, COPY_CHOICES, copySelected, openCopy } from "./copy.js";
import { BESIDE_COMMANDS, focusPanel, goBack, MARK_COMMANDS, moveInPanel, openSelected } from "./navigate.js";
import { addEnvironment, exportFile, graceChoices, importFile } from "./transfer.js";

/** Of a command that does nothing in the list: the screen says what it does. */
const byScreen: Command["run"] = (state) => step(state);

/** Commands about other places. */
const COMPARE_COMMANDS: readonly Command[] = [
  command(
    "Values",
    "diff",
    "d",
    "compare with another place, side by side; in the places with the one under the cursor",
    {
      where: [...PANELS, "diff"],
      label: ({ stack }) => (stack.length > 0 ? undefined : "diff"),
      argument: "<place>",
      choices: (state) => otherPlaceChoices(state, openDiff),
      disabledReason: (state) => whyNotRead(state) ?? whyNoOther(state),
      run: diffSelected,
    },
  ),
  command("Edit", "copy-to", ">", "copy the value to other places", {
    ...ON_SELECTED,
    label: ifOpen("copy to"),
    argument: "<place>",
    choices: (state) => editablePlaceChoices(state, (now, place) => copyTo(now, targetsOf(now), [place])),
    disabledReason: (state) => whyNotRead(state) ?? whyNoTargetValue(state) ?? whyNoOther(state),
    run: onTargets((state, entries) => openCopyTo(state, entries, selectionOf(state).place)),
  }),
  command("Edit", "copy-from", "<", "copy the value from the other place; in the matrix from the nearest one", {
    where: ["matrix", "diff"],
    label: "copy from",
    run: byScreen,
  }),
  command("Values", "matrix", "m", "show which values differ or are missing in the environments of the application", {
    where: [...PANELS, "matrix"],
    label: ({ stack }) => (stack.length > 0 ? undefined : "matrix"),
    argument: "<row filter>",
    choices: () => MATRIX_CHOICES,
    disabledReason: whyNotRead,
    run: (state) => openMatrix(state),
  }),
];

/** The changes of a variable or of an environment. */
const HISTORY_COMMAND = command(
  "Values",
  "history",
  "H",
  "show the changes of the variable, or in the places of the environment",
  {
    where: EVERYWHERE,
    label: "history",
    disabledReason: whyNoUndo,
    run: openHistory,
  },
);

/** Edits of the open place, and of any the way back. */
const EDIT_COMMANDS: readonly Command[] = [
  command("Edit", "edit", "e", "change the name, the type, the value, the description and the rules", {
    ...ON_SELECTED,
    disabledReason: (state) => whyNotEdit(state) ?? whyNoEntry(state),
    run: onEntry((state, entry, place) => openForm(state, "edit", entry, place)),
  }),
  command("Edit", "editor", "E", "edit the value in $VISUAL or $EDITOR", {
    where: ["variables", "record", "diff"],
    label: undefined,
    disabledReason: (state) => whyNotEdit(state) ?? whyNoEntry(state),
    run: onEntry(openEditor),
  }),
  command("Edit", "add", "a", "add a variable", {
    ...ON_VARIABLE,
    disabledReason: whyNotEdit,
    run: (state) => openForm(state, "add"),
  }),
  command("Edit", "delete", "x", "delete the value from this environment", {
    ...ON_SELECTED,
    disabledReason: (state) => whyNotEdit(state) ?? whyNoTarget(state),
    run: onTargets((state, entries) =>
      deleteFrom(
        state,
        entries.map(({ variable }) => variable.name),
        [selectionOf(state).place],
      ),
    ),
  }),
  command("Edit", "delete-in", "D", "delete the value from several environments of the application", {
    ...ON_SELECTED,
    label: undefined,
    disabledReason: (state) => whyNoTarget(state) ?? whyNotEdit(state),
    run: onTargets(openDeleteIn),
  }),
  command("Edit", "undo", "u", "undo the newest change in the history, whoever made it; repeat for earlier ones", {
    where: EVERYWHERE,
    disabledReason: whyNoUndo,
    run: undo,
  }),
  command("Edit", "redo", "U", "redo the change that was undone last; repeat for later ones", {
    where: EVERYWHERE,
    label: undefined,
    disabledReason: whyNoRedo,
    run: redo,
  }),
];

const IN_LIST = { where: ["variables"] } as const;

const FILTER_HELP =
  "search names, descriptions and values that are shown: 'PORT is the whole name, ~durl finds DATABASE_URL by its letters, " +
  "name:port searches names alone; missing, encrypted, changed and type:json show only those; !port shows all others";

/** The content of the list, and its order. */
const FIND_COMMANDS: readonly Command[] = [
  command("Find", "filter", "/", FILTER_HELP, {
    ...IN_TABLE,
    label: ifListed("filter"),
    argument: "<text>",
    run: (state, text) => (text === "" ? openFilter({ ...state, focus: "variables" }) : step(filtered(state, text))),
  }),
  command("Find", "find-place", "/", "find a place by its name", {
    where: ["places"],
    label: "find",
    run: findPlace,
  }),
  command("Find", "type", "t", "show only one type of variable, then the next, then all again", {
    ...IN_LIST,
    label: ifListed("type"),
    argument: "<type>",
    choices: () => TYPE_CHOICES,
    run: nextType,
  }),
  command("Find", "sort", "s", "sort by id (the order of the source), by name, by type or by last change", {
    ...IN_TABLE,
    label: ifListed("sort"),
    argument: "<order>",
    choices: sortChoices,
    run: nextSort,
  }),
  command("Find", "next-difference", "n", "go to the next variable that differs or is missing, or the next change", {
    where: ["matrix", "diff"],
    label: "next",
    repeats: true,
    run: byScreen,
  }),
  command("Find", "previous-difference", "N", "go to the previous one", {
    where: ["matrix", "diff"],
    label: undefined,
    repeats: true,
    run: byScreen,
  }),
  command("Find", "filter-rows", "t", "show only variables that differ, then only missing ones, then all", {
    where: ["matrix"],
    label: "filter rows",
    run: byScreen,
  }),
  command("Find", "reverse", "S", "reverse the order", { ...IN_TABLE, label: undefined, run: reverseSort }),
];

const CLEAR_LABELS = { range: "drop range", filter: "clear filter", marks: "unmark", none: undefined } as const;

function clearLabel(state: State): string | undefined {
  if (state.stack.length > 0) return "back";
  return state.focus === "variables" ? CLEAR_LABELS[clearable(state) ?? "none"] : undefined;
}

/** Moving in the panel with the focus. */
const CURSOR_COMMANDS: readonly Command[] = [
  ...MOVES.map(({ name, keys, help }) => {
    const [key = ""] = keys.split(" ");
    const run: Command["run"] = (state) => moveInPanel(state, key);
    return command("Move", name, keys, help, { where: EVERYWHERE, label: undefined, repeats: true, run });
  }),
];

/** Moving in a panel and between panels. */
const PANEL_COMMANDS: readonly Command[] = [
  command("Move", "next-panel", "tab l right", "go to the next panel", {
    where: EVERYWHERE,
    label: ({ stack }) => (stack.at(-1)?.screen.name === "matrix" ? undefined : "panel"),
    run: (state) => focusPanel(state, 1),
  }),
  command("Move", "previous-panel", "shift-tab h left", "go to the previous panel", {
    where: EVERYWHERE,
    label: undefined,
    run: (state) => focusPanel(state, -1),
  }),
  command("Move", "open", "enter", "open the place under the cursor, or go to the record", {
    where: EVERYWHERE,
    label: (state) => (["places", "matrix"].includes(whereOf(state) ?? "") ? "open" : undefined),
    argument: "<place>",
    choices: placeChoices,
    run: openSelected,
  }),
  ...BESIDE_COMMANDS,
  command("Move", "back", "escape", "go back to the list, end the range, clear the filter or remove the marks", {
    where: EVERYWHERE,
    label: clearLabel,
    run: goBack,
  }),
  command("Move", "close", "q", "close the matrix or the comparison", {
    where: ["matrix", "diff"],
    label: undefined,
    run: byScreen,
  }),
];

/** Files, and environments. */
const TRANSFER_COMMANDS: readonly Command[] = [
  command("Edit", "import", "", "import a dotenv, JSON or YAML file, after a question", {
    label: undefined,
    argument: "<file> [format]",
    disabledReason: whyNotEdit,
    run: importFile,
  }),
  command("Values", "export", "", "write all values, or the marked ones, to a file that only you can read", {
    label: undefined,
    argument: "<file> [format]",
    run: exportFile,
  }),
  command("Edit", "env add", "", "add an environment, and show its credentials", {
    label: undefined,
    argument: "<name>",
    disabledReason: whyNoEnvironments,
    run: addEnvironment,
  }),
  command("Edit", "env rotate", "", "give the open environment new credentials, and show them", {
    label: undefined,
    argument: "<time>",
    choices: graceChoices,
    disabledReason: whyNoEnvironments,
    run: (state) => openCommandLine(state, "env rotate "),
  }),
];

/** Seeing and copying values. */
const VALUE_COMMANDS: readonly Command[] = [
  command("Values", "reveal", "v", "show the value for 30 seconds, or mask it again", {
    ...ON_SELECTED,
    disabledReason: whyNoReveal,
    run: (state) => step(toggleRevealed(state, selectionOf(state).name ?? "")),
  }),
  command("Values", "reveal-all", "V", "show all values for a minute, or mask them again", {
    ...ON_SELECTED,
    label: ({ stack }) => (stack.at(-1)?.screen.name === "matrix" ? "reveal all" : undefined),
    run: (state) => step(toggleAllRevealed(state)),
  }),
  command("Values", "copy", "y", "copy the value, even while it is masked", {
    ...ON_SELECTED,
    argument: "<format>",
    choices: () => COPY_CHOICES,
    disabledReason: whyNoTargetValue,
    run: (state) => copySelected(state),
  }),
  command("Values", "copy-as", "Y", "copy in a chosen form: NAME=value, JSON, a command, or the whole environment", {
    where: ["variables", "record", "matrix"],
    label: undefined,
    disabledReason: (state) => whyNotRead(state) ?? whyNoTarget(state),
    run: openCopy,
  }),
  command("Values", "copy-other", "Y", "copy the value of the right side", {
    where: ["diff"],
    label: "copy the other",
    run: byScreen,
  }),
  command("Values", "copy-all", "", "copy the whole environment in a format of export", {
    label: undefined,
    argument: "<format>",
    choices: () => COPY_ALL_CHOICES,
    disabledReason: whyNotRead,
    run: (state) => openCommandLine(state, "copy-all "),
  }),
];

/** All commands, in the order of the footer. */
export const ALL_COMMANDS: readonly Command[] = [
  ...CURSOR_COMMANDS,
  ...FIND_COMMANDS,
  ...MARK_COMMANDS,
  ...VALUE_COMMANDS,
  ...EDIT_COMMANDS,
  ...COMPARE_COMMANDS,
  HISTORY_COMMAND,
  ...TRANSFER_COMMANDS,
  command("Other", "help", "? f1", "show the keys that work here", { where: EVERYWHERE, run: openHelp }),
  command("Other", "command", ":", "type a command; matches are shown, and Tab completes it", {
    where: EVERYWHERE,
    label: undefined,
    run: (state) => openCommandLine(state),
  }),
  command("Other", "refresh", "r ctrl-r", "read the variables again", {
    where: EVERYWHERE,
    label: (state) => (["unread", "reading"].includes(healthOf(state, state.place)) ? undefined : "refresh"),
    // A key that is held down must not send request after request.
    run: (state) => (readingOf(state).isReading ? step(state) : reload(state)),
  }),
  ...PANEL_COMMANDS,
  command("Other", "quit", "q ctrl-c", "quit and restore the terminal", {
    run: (state) => quit(state),
  }),
  command("Other", "redraw", "ctrl-l", "draw the whole screen again", {
    label: undefined,
    run: (state) =>
      step(
        state,
        calling(({ redraw }) => redraw()),
      ),
  }),
  command("Other", "suspend", "ctrl-z", "suspend and return to the shell; fg resumes", {
    label: undefined,
    run: (state) =>
      step(
        state,
        calling(({ suspend }) => suspend()),
      ),
  }),
];
