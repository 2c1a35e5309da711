import { type Command, command } from "../state/command.js";
import { whyNoEnvironments, whyNotEdit } from "./conditions.js";
import {
  addEnvironment,
  exportChoices,
  exportFile,
  GRACE_CHOICES,
  importChoices,
  importFile,
  rotate,
} from "./transfer.js";

/** Files, and environments. */
export const TRANSFER_COMMANDS: readonly Command[] = [
  command("Edit", "import", "", "import a dotenv, JSON or YAML file, after a question", {
    label: undefined,
    argument: "<file> [format]",
    accepts: "path",
    needsArgument: true,
    choices: importChoices,
    disabledReason: whyNotEdit,
    run: importFile,
  }),
  command("Values", "export", "", "write all values, or the marked ones, to a file that only you can read", {
    label: undefined,
    argument: "<file> [format]",
    accepts: "path",
    needsArgument: true,
    choices: exportChoices,
    run: exportFile,
  }),
  command("Edit", "env add", "", "add an environment, and show its credentials", {
    label: undefined,
    argument: "<name>",
    accepts: "text",
    needsArgument: true,
    disabledReason: whyNoEnvironments,
    run: addEnvironment,
  }),
  command("Edit", "env rotate", "", "give the open environment new credentials, and show them", {
    label: undefined,
    argument: "[grace]",
    accepts: "text",
    choices: () => GRACE_CHOICES,
    disabledReason: whyNoEnvironments,
    run: rotate,
  }),
];
