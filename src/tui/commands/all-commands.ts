import { isReading, reload } from "../browse/loading.js";
import { openCommandLine } from "../modes/command-line.js";
import { openHelp } from "../modes/help.js";
import { type Command, command } from "../state/command.js";
import { step } from "../state/messages.js";
import { COMPARE_COMMANDS } from "./compare-commands.js";
import { EDIT_COMMANDS } from "./edit-commands.js";
import { FIND_COMMANDS } from "./find-commands.js";
import { MARK_COMMANDS } from "./mark.js";
import { CURSOR_COMMANDS, PANEL_COMMANDS } from "./move-commands.js";
import { TRANSFER_COMMANDS } from "./transfer-commands.js";
import { VALUE_COMMANDS } from "./value-commands.js";

/** The commands of browse mode, in the order of the footer. */
export const ALL_COMMANDS: readonly Command[] = [
  ...CURSOR_COMMANDS,
  ...FIND_COMMANDS,
  ...MARK_COMMANDS,
  ...VALUE_COMMANDS,
  ...EDIT_COMMANDS,
  ...COMPARE_COMMANDS,
  ...TRANSFER_COMMANDS,
  command("Other", "help", "?", "show all keys", { run: (state) => openHelp(state) }),
  command("Other", "command", ":", "type a command; matches are shown, and Tab completes it", {
    label: undefined,
    run: (state) => openCommandLine(state),
  }),
  command("Other", "refresh", "r ctrl-r", "read the variables again", {
    label: ({ loaded }) => (loaded.isComplete || loaded.failure ? "refresh" : undefined),
    // A key that is held down must not send request after request.
    run: (state) => (isReading(state.loaded) ? step(state) : reload(state)),
  }),
  ...PANEL_COMMANDS,
  command("Other", "quit", "q ctrl-c", "quit and restore the terminal", {
    run: (state) => step(state, { type: "quit" }),
  }),
  command("Other", "redraw", "ctrl-l", "draw the whole screen again", {
    label: undefined,
    run: (state) => step(state, { type: "redraw" }),
  }),
  command("Other", "suspend", "ctrl-z", "suspend and return to the shell; fg resumes", {
    label: undefined,
    run: (state) => step(state, { type: "suspend" }),
  }),
];
