import { EXPORT_FORMATS } from "../../formats/formats.js";
import { decryptSelected, toggleAllRevealed, toggleRevealed } from "../browse/reveal.js";
import { openCopy } from "../modes/copy.js";
import { type Command, command } from "../state/command.js";
import { SELECTED_FORMATS } from "../state/copy-formats.js";
import { chooseCopy, chooseCopyAll } from "./choose.js";
import { ON_VARIABLE, onEntry, whyNoTarget, whyNoTargetValue, whyNotRead, whyNoValue } from "./conditions.js";

/** Seeing and copying values. */
export const VALUE_COMMANDS: readonly Command[] = [
  command("Values", "reveal", "v", "show the value for 30 seconds, or mask it again", {
    ...ON_VARIABLE,
    disabledReason: whyNoValue,
    run: onEntry((state, { variable }) => decryptSelected(toggleRevealed(state, variable.name))),
  }),
  command("Values", "reveal-all", "V", "show all values for a minute, or mask them again", {
    ...ON_VARIABLE,
    label: undefined,
    run: (state) => decryptSelected(toggleAllRevealed(state)),
  }),
  command("Values", "copy", "y", "copy the value, even while it is masked", {
    ...ON_VARIABLE,
    argument: "<format>",
    choices: () => SELECTED_FORMATS,
    disabledReason: whyNoTargetValue,
    run: chooseCopy,
  }),
  command("Values", "copy-as", "Y", "copy in a chosen form: NAME=value, JSON, a command, or the whole environment", {
    ...ON_VARIABLE,
    label: undefined,
    disabledReason: (state) => whyNotRead(state) ?? whyNoTarget(state),
    run: (state) => openCopy(state),
  }),
  command("Values", "copy-all", "", "copy the whole environment in a format of export", {
    label: undefined,
    argument: "<format>",
    choices: () => EXPORT_FORMATS,
    disabledReason: whyNotRead,
    run: chooseCopyAll,
  }),
];
