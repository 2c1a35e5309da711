import type { VariableEntry } from "../../domain/source.js";
import { textField } from "../input/text-field.js";
import { type Step, step } from "../state/messages.js";
import type { Form } from "../state/modes.js";
import { notify, type State } from "../state/state.js";
import { assignedIn } from "./confirm.js";
import { initialForm } from "./draft.js";
import { submit } from "./form.js";

/** Opens the value in the person's own editor. */
export function openEditor(state: State, entry: VariableEntry): Step {
  return step(state, { type: "editValue", place: state.place, entry });
}

/** Handles the text that the editor saved: as if it had been typed into the form, which shows a problem with it. */
export function valueEdited(state: State, place: number, entry: VariableEntry, text: string | undefined): Step {
  const { name } = entry.variable;
  if (text === undefined) return step(notify(state, `${name} is unchanged`));
  const back = state.mode.kind === "diff" ? { back: state.mode } : {};
  return submit(state, { ...initialForm("edit", name, assignedIn(entry)), ...back, place, ...typedText(text) });
}

/** Handles the text for the form that the editor was opened from. Dropped if the form is gone. */
export function textEdited(state: State, text: string | undefined): State {
  const { mode } = state;
  if (mode.kind !== "form" || text === undefined) return state;
  return { ...state, mode: { ...mode, ...typedText(text), problem: undefined } };
}

/** An empty text is typed too: it does not mean that the value stays. */
function typedText(text: string): Pick<Form, "value" | "isValueKept"> {
  return { value: textField(text), isValueKept: false };
}
