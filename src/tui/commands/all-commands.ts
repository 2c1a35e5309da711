import { redo, undo, whyNoHistory, whyNoUndo } from "../edit/history.js";
import { copyTo, deleteFrom } from "../edit/planning.js";
import { refresh } from "../reading/polling.js";
import { openCommandLine, openHelp } from "../screens/command-menus.js";
import { openDiff } from "../screens/comparison.js";
import { openFilter } from "../screens/filter-prompt.js";
import { openEditor, openForm } from "../screens/form.js";
import { openHistory } from "../screens/history.js";
import { openMatrix } from "../screens/matrix.js";
import {
  choicesToOpen,
  editablePlaces,
  openCopyTo,
  openDeleteIn,
  otherPlaces,
  placeChoices,
} from "../screens/place-menus.js";
import { scrollRecord } from "../screens/record-panel.js";
import { actsOnMarked, gridOf, targetsOf } from "../stack/grid.js";
import { quit } from "../stack/question.js";
import { pop } from "../stack/screen.js";
import { inGroup } from "../state/command.js";
import { effectOnly } from "../state/effects.js";
import { readStatusOf } from "../state/readings.js";
import type { Command, State } from "../state/state.js";
import { toggleAllRevealed, toggleRevealed } from "../table/reveal.js";
import { allOrNone, namesOf, toggled } from "../table/selection.js";
import { clearing, filtered } from "../view/table-panel.js";
import { MOVES } from "../widgets/list.js";
import * as choose from "./choose.js";
import * as go from "./navigate.js";
import { addEnvironment, exportFile, graceChoices, importFile } from "./transfer.js";
import {
  whyEmpty,
  whyNoEntry,
  whyNoEnvironments,
  whyNoReveal,
  whyNoTarget,
  whyNotEdit,
  whyNotRead,
} from "./why-not.js";

const FILTER_HELP =
  "search names, descriptions and values that are shown: 'PORT matches the whole name, DB_* is a glob, ~durl finds DATABASE_URL by " +
  "its letters, name:port searches only names; missing, encrypted, changed and type:json show only those; !port shows all others";

const DIFF_HELP =
  "compare with another place side by side, or with the selected one in the list of places";

const targetPlaces = (state: State) => editablePlaces(state, gridOf(state).place);

const [find, values, edit] = [inGroup("Find"), inGroup("Values"), inGroup("Edit")];
const [move, other] = [inGroup("Move"), inGroup("Other")];

/**
 * All commands, in the order of the footer. The letters after the keys are
 * areas of the screen: see {@link inGroup}.
 */
export const ALL_COMMANDS: readonly Command[] = [
  ...MOVES.map(({ name, keys, help }) => {
    const [key = ""] = keys.split(" ");
    return move(name, keys, "pvrmd", help, {
      repeats: true,
      run: (state, line) => go.moveInPanel(state, line || key),
    });
  }),

  // Filters, order and marks.
  find("filter", "/", "VrMD", FILTER_HELP, {
    argument: "<text>",
    whyNot: whyEmpty,
    run: (state, text) =>
      text === "" ? openFilter({ ...state, focus: "variables" }) : filtered(state, text),
  }),
  find("find-place", "/", "P", "find a place by name", {
    label: "find",
    run: (state) => openCommandLine(state, "open "),
  }),
  find("type", "t", "V", "show only one type of variable, then the next, then all again", {
    argument: "<type>",
    choices: () => choose.TYPE_CHOICES,
    whyNot: whyEmpty,
    run: choose.nextType,
  }),
  find(
    "sort",
    "s",
    "VMD",
    "sort by id (the order of the source), by name, by type or by last change",
    {
      argument: "<order>",
      choices: choose.sortChoices,
      whyNot: whyEmpty,
      run: choose.nextSort,
    },
  ),
  find("next-difference", "n", "MD", "go to the next difference, missing value or change", {
    label: "next",
    repeats: true,
  }),
  find("previous-difference", "N", "md", "go to the previous difference, missing value or change", {
    repeats: true,
  }),
  find(
    "filter-rows",
    "t",
    "M",
    "show only variables that differ, then only missing ones, then all",
    {},
  ),
  find("reverse", "S", "vmd", "reverse the order", { run: choose.reverseSort }),
  find(
    "mark",
    "space",
    "VMD",
    "mark the variable and move down; copy and delete act on all marked variables",
    {
      whyNot: whyEmpty,
      run: go.mark,
    },
  ),
  find("mark-range", "R", "vmd", "start a range of marks; R or Space ends it", {
    run: go.markRange,
  }),
  find("mark-all", "*", "vmd", "mark all listed variables, or unmark them", {
    run: go.marking(allOrNone),
  }),
  find("invert-marks", "!", "vmd", "invert the marks of the listed variables", {
    run: go.marking((marks, grid) => toggled(marks, namesOf(grid))),
  }),

  // Showing and copying values.
  values("reveal", "v", "VRMD", "show the value for 30 seconds, or mask it again", {
    whyNot: whyNoReveal,
    run: (state) => toggleRevealed(state, gridOf(state).name ?? ""),
  }),
  values("reveal-all", "V", "vrMd", "show all values for a minute, or mask them again", {
    run: toggleAllRevealed,
  }),
  values("copy", "y", "VRMD", "copy the value, even while it is masked", {
    argument: "<format>",
    choices: () => choose.COPY_CHOICES,
    whyNot: (state) => whyNoTarget(state, "value"),
    run: (state) => choose.copySelected(state),
  }),
  values(
    "copy-as",
    "Y",
    "vrm",
    "copy in another format: NAME=value, JSON, a command, or the whole environment",
    {
      whyNot: (state) => whyNotRead(state, gridOf(state).place) ?? whyNoTarget(state),
      run: choose.openCopy,
    },
  ),
  values("copy-other", "Y", "D", "copy the value on the right", { label: "copy the other" }),

  // Editing and undoing.
  edit("edit", "e", "VRMD", "rename the variable, or edit its type, value, description and rules", {
    whyNot: (state) => whyNotEdit(state) ?? whyNoEntry(state, "entry"),
    run: choose.onEntry(openForm),
  }),
  edit("editor", "E", "vrmd", "edit the value in $VISUAL or $EDITOR", {
    whyNot: (state) => whyNotEdit(state) ?? whyNoEntry(state, "entry"),
    run: choose.onEntry(openEditor),
  }),
  edit("add", "a", "VRmd", "add a variable", {
    whyNot: whyNotEdit,
    run: (state) => openForm(state, undefined, gridOf(state).place),
  }),
  edit("delete", "x", "VRMD", "delete the value from this environment", {
    whyNot: (state) => whyNotEdit(state) ?? whyNoTarget(state),
    run: choose.onTargets((state, entries, place) => {
      const names = entries.map(({ variable }) => variable.name);
      return deleteFrom(state, names, [place]);
    }),
  }),
  edit("delete-in", "D", "vrmd", "delete the value from several environments of the application", {
    whyNot: (state) => whyNoTarget(state) ?? whyNotEdit(state),
    run: choose.onTargets(openDeleteIn),
  }),
  edit(
    "undo",
    "u",
    "PVRMD",
    "undo the newest change in the history, whoever made it; repeat for earlier ones",
    {
      whyNot: whyNoUndo,
      run: undo,
    },
  ),
  edit("redo", "U", "pvrmd", "redo the change that was undone last; repeat for later ones", {
    whyNot: whyNoUndo,
    run: redo,
  }),

  // Comparing and copying between places.
  values("diff", "d", "PVRd", DIFF_HELP, {
    argument: "<place>",
    choices: (state) => placeChoices(state, otherPlaces(state), openDiff),
    whyNot: (state) =>
      otherPlaces(state).length > 0 ? undefined : "there is no other place to compare with",
    run: choose.diffSelected,
  }),
  edit("copy-to", ">", "VRMD", "copy the value to other places", {
    label: (state) => (state.stack.length > 0 || actsOnMarked(state) ? "copy to" : undefined),
    argument: "<place>",
    choices: (state) =>
      placeChoices(state, targetPlaces(state), (now, to) => copyTo(now, targetsOf(now), [to])),
    whyNot: (state) => {
      const none = "there is no other place that can be edited";
      return whyNoTarget(state, "value") ?? (targetPlaces(state).length > 0 ? undefined : none);
    },
    run: choose.onTargets(openCopyTo),
  }),
  edit(
    "copy-from",
    "<",
    "MD",
    "copy the value from the other place, or from the nearest one in the matrix",
    {},
  ),
  values(
    "matrix",
    "m",
    "PVRm",
    "show which values differ or are missing in the environments of the application",
    {
      run: openMatrix,
    },
  ),
  values(
    "history",
    "H",
    "PVRMD",
    "show the changes of the variable, or of the environment in the list of places",
    {
      whyNot: whyNoHistory,
      run: (state) => openHistory(state),
    },
  ),

  // Files and environments.
  edit("import", "", "pvrmd", "import a dotenv, JSON or YAML file; you review the changes first", {
    argument: "<file> [format]",
    whyNot: whyNotEdit,
    run: importFile,
  }),
  values(
    "export",
    "",
    "pvrmd",
    "write all values, or the marked ones, to a file that only you can read",
    {
      argument: "<file> [format]",
      run: exportFile,
    },
  ),
  edit("env add", "", "pvrmd", "add an environment, and show its credentials", {
    argument: "<name>",
    whyNot: whyNoEnvironments,
    run: addEnvironment,
  }),
  edit(
    "env rotate",
    "",
    "pvrmd",
    "replace the credentials of the environment, and show the new ones",
    {
      argument: "<time>",
      choices: graceChoices,
      whyNot: whyNoEnvironments,
      run: (state) => openCommandLine(state, "env rotate "),
    },
  ),

  other("help", "? f1", "PVRMD", "show the keys that work here", { run: openHelp }),
  other("command", ":", "pvrmd", "type a command; matches are shown, and Tab completes it", {
    run: (state) => openCommandLine(state),
  }),
  other("refresh", "r", "PVRMD", "read the variables again", {
    label: (state) =>
      ["unread", "reading"].includes(readStatusOf(state, state.place)) ? undefined : "refresh",
    run: (state) => refresh(state, [state.place]),
  }),

  // Panels and leaving.
  move("next-panel", "tab l right", "PVRmD", "go to the next panel", {
    label: "panel",
    run: (state) => go.focusPanel(state, 1),
  }),
  move("previous-panel", "shift-tab h left", "pvrmd", "go to the previous panel", {
    run: (state) => go.focusPanel(state, -1),
  }),
  move("open", "enter", "PvrMd", "open the place under the cursor, or go to the record", {
    argument: "<place>",
    choices: choicesToOpen,
    run: go.openSelected,
  }),
  ...(["down", "up"] as const).map((way) => {
    const help = `scroll the record ${way}; a number repeats it: 5J`;
    const run: Command["run"] = (state) => scrollRecord(state, way);
    return move(`record-${way}`, way === "down" ? "J" : "K", "v", help, { repeats: true, run });
  }),
  ...(["next", "previous"] as const).map((way) => {
    const help = `open the ${way} environment of the application, with the same variable selected`;
    const run: Command["run"] = (state) => go.openNeighbor(state, way === "next" ? 1 : -1);
    return move(`${way}-environment`, way === "next" ? "]" : "[", "pvr", help, {
      whyNot: go.whyNoNeighbor,
      run,
    });
  }),
  move(
    "back",
    "escape",
    "PVRMD",
    "go back to the list, end the range, clear the filter or remove the marks",
    {
      label: (state) => {
        const cleared =
          state.focus === "variables" || state.stack.length > 0
            ? clearing(state)?.label
            : undefined;
        return cleared ?? (state.stack.length > 0 ? "back" : undefined);
      },
      run: go.goBack,
    },
  ),
  move("close", "q", "md", "close the matrix or the comparison", {
    run: (state) => pop(state),
  }),
  other("quit", "q ctrl-c", "PVR", "quit and restore the terminal", {
    run: quit,
  }),
  other("redraw", "ctrl-l", "pvr", "redraw the screen", {
    run: (now) => effectOnly(now, ({ redraw }) => redraw()),
  }),
  other("suspend", "ctrl-z", "pvr", "return to the shell; fg resumes", {
    run: (now) => effectOnly(now, ({ suspend }) => suspend()),
  }),
];
