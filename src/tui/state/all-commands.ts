import type { Command } from "./command.js";
import { EDIT_COMMANDS } from "./edit-commands.js";
import { FIND_COMMANDS } from "./find-commands.js";
import { MOVE_COMMANDS } from "./move-commands.js";
import { OTHER_COMMANDS } from "./other-commands.js";
import { VALUE_COMMANDS } from "./value-commands.js";

/** All that can be asked for where nothing is being typed, in the order of the footer. */
export const ALL_COMMANDS: readonly Command[] = [
  ...MOVE_COMMANDS,
  ...FIND_COMMANDS,
  ...VALUE_COMMANDS,
  ...EDIT_COMMANDS,
  ...OTHER_COMMANDS,
];
