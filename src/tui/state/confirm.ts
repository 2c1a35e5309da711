import type { Edit, Entry } from "../ports.js";
import { assigned } from "./assigned.js";
import { backToBrowse } from "./back-to-browse.js";
import { confirmLines, refusalLines } from "./confirm-lines.js";
import { layoutOf, questionSize } from "./layout.js";
import { reload } from "./loading.js";
import type { Key } from "./message.js";
import { tell } from "./notices.js";
import { scroll } from "./scroll.js";
import type { Confirmation, Purpose, State } from "./state.js";
import { type Step, step } from "./step.js";
import { textColumns } from "./text-columns.js";
import { commandKeyName } from "./typed.js";

/** Asks whether a variable's value is to be deleted from the open place. */
export function askToDelete(state: State, entry: Entry): Step {
  const { name } = entry.variable;
  const before = assigned(entry);
  if (!before) return step(tell(state, `${name} has no value here`, "error"));
  return step(askTo(state, "delete", { name, before, after: undefined }));
}

/** Shows an edit that comes of no form, values masked, to be confirmed. */
export function askTo(state: State, purpose: Purpose, edit: Edit): State {
  return {
    ...state,
    mode: {
      kind: "confirm",
      purpose,
      edit,
      isRevealed: false,
      isBusy: false,
      problem: undefined,
      form: undefined,
      top: 0,
    },
  };
}

/** While the edit is being written no key does anything: nothing is written twice. */
export function confirmKey(state: State, confirmation: Confirmation, key: Key): Step {
  const name = commandKeyName(key);
  if (confirmation.isBusy) return step(state);
  switch (name) {
    case "y":
    case "enter":
      return step(
        { ...state, mode: { ...confirmation, isBusy: true, problem: undefined } },
        { type: "apply", edit: confirmation.edit },
      );
    case "n":
    case "escape":
      return step(confirmation.form ? { ...state, mode: confirmation.form } : backToBrowse(state));
    case "v":
      return step({ ...state, mode: { ...confirmation, isRevealed: !confirmation.isRevealed, top: 0 } });
    default:
      return step({ ...state, mode: { ...confirmation, top: scrolled(state, confirmation, name) } });
  }
}

function scrolled(state: State, confirmation: Confirmation, key: string): number {
  const size = questionSize(layoutOf(state));
  const width = textColumns(size);
  const page = size.height - 3 - refusalLines(confirmation, width).length;
  return scroll(confirmation.top, confirmLines(state, confirmation, width).length, page, key) ?? confirmation.top;
}

/** The edit was written: tells so, keeps it to be undone, and reads what is there now. */
export function applied(state: State): Step {
  const { mode, undo } = state;
  if (mode.kind !== "confirm" || !mode.isBusy) return step(state);
  const rest = mode.purpose === "undo" ? undo.slice(0, -1) : [...undo, mode.edit];
  return reload({ ...backToBrowse(state, whatWasDone(mode), "success"), undo: rest });
}

function whatWasDone({ purpose, edit: { name } }: Confirmation): string {
  if (purpose === "undo") return `${name} is as it was before`;
  return `${{ add: "added", edit: "changed", delete: "deleted" }[purpose]} ${name}; u undoes it`;
}
