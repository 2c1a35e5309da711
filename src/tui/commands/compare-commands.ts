import { ONLY } from "../browse/matrix-table.js";
import { openDiff } from "../modes/compare.js";
import { openTakeOver, takeOver } from "../modes/take-over.js";
import { type Command, command } from "../state/command.js";
import { chooseMatrix, diffSelected, otherPlaceChoices, withOtherPlace } from "./choose.js";
import { ON_VARIABLE, onTargets, whyNoOther, whyNoTargetValue, whyNotRead } from "./conditions.js";

/** Commands about other places. */
export const COMPARE_COMMANDS: readonly Command[] = [
  command(
    "Values",
    "diff",
    "d",
    "compare with another place, side by side; in the places with the one under the cursor",
    {
      argument: "<place>",
      choices: otherPlaceChoices,
      disabledReason: (state) => whyNotRead(state) ?? whyNoOther(state),
      run: (state, name) => (name === "" ? diffSelected(state) : withOtherPlace(state, name, openDiff)),
    },
  ),
  command("Edit", "take-over", ">", "give the variable the same value in another place", {
    ...ON_VARIABLE,
    label: undefined,
    argument: "<place>",
    choices: otherPlaceChoices,
    disabledReason: (state) => whyNotRead(state) ?? whyNoTargetValue(state) ?? whyNoOther(state),
    run: onTargets((state, entries, name) => {
      if (name === "") return openTakeOver(state, entries);
      return withOtherPlace(state, name, (from, place) => takeOver(from, entries, place));
    }),
  }),
  command("Values", "matrix", "m", "show which values differ or are missing in the environments of the application", {
    argument: "<rows>",
    choices: () => ONLY,
    disabledReason: whyNotRead,
    run: chooseMatrix,
  }),
];
