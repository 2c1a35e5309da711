import { isDeepStrictEqual } from "node:util";
import type { VariableEntry } from "../../domain/source.js";
import { VARIABLE_TYPES } from "../../domain/variable.js";
import { editKeyName, type Key } from "../input/key.js";
import { editLine, hasControls } from "../input/text-field.js";
import { cycled } from "../state/cursor.js";
import type { Effect } from "../state/effects.js";
import type { Failure } from "../state/loaded.js";
import { type Step, step } from "../state/messages.js";
import { FORM_FIELDS, type Form } from "../state/modes.js";
import type { Edit } from "../state/ports.js";
import { notify, type State } from "../state/state.js";
import { assignedIn, confirmEdit } from "./confirm.js";
import { initialForm, prepareForm, withType } from "./draft.js";
import { editValue } from "./edit-value.js";
import { closeForm, leaveForm } from "./leave-form.js";

/** Opens the form for a new variable, or for an existing one, with or without a value. */
export function openForm(
  state: State,
  purpose: Form["purpose"],
  entry?: VariableEntry,
  from: Pick<Form, "place" | "back"> = {},
): Step {
  const mode = initialForm(purpose, entry?.variable.name ?? "", entry && assignedIn(entry));
  return step({ ...state, mode: { ...mode, ...from } });
}

export function formKey(state: State, form: Form, key: Key): Step {
  const name = editKeyName(key);
  if (name === "escape") return leaveForm(state, form);
  if (name === "ctrl-s") return submit(state, form);
  if (name === "alt-e") return step(state, editTextOf(state, form));
  const edited = name === "tab" || name === "shift-tab" ? undefined : editField(form, key);
  if (!edited && name === "enter" && form.field === "description") return submit(state, form);
  const mode = edited ?? otherField(form, MOVES[name] ?? 0);
  return step(mode === form ? state : { ...state, mode });
}

/** Opens the value in the person's own editor: the text of the form, or the value that stays, which is decrypted for it. */
function editTextOf({ place: open }: State, { place = open, before, name, type, value, isValueKept }: Form): Effect {
  const sealed = isValueKept && value.text === "" ? before?.value : undefined;
  return { type: "editText", place, text: value.text, sealed, name: name.text.trim(), isJson: type === "JSON" };
}

/** Which field a key goes to where it does nothing else. In a value of several lines only Tab leaves it. */
const MOVES: Readonly<Record<string, number>> = { tab: 1, down: 1, enter: 1, "shift-tab": -1, up: -1 };

/** Handles the edit made from a form: asks to confirm it. Dropped if the form is gone. */
export function prepared(state: State, edit: Edit, text?: string): State {
  const { mode } = state;
  const [change] = edit.changes;
  if (mode.kind !== "form" || change?.name !== mode.name.text.trim()) return state;
  if (isDeepStrictEqual(change.before, change.after)) return closeForm(state, mode, "nothing to change");
  const back: Form = { ...mode, problem: undefined };
  const isChangedMeanwhile = mode.purpose === "edit" && !isDeepStrictEqual(change.before, mode.before);
  const rest = { isChangedMeanwhile, text };
  return confirmEdit({ ...state, mode: back }, mode.purpose, mode.place ?? state.place, edit, rest);
}

/** Handles the refusal of a form's edit: the form shows why. */
export function notPrepared(state: State, name: string, { message }: Failure): State {
  const { mode } = state;
  if (mode.kind !== "form" || mode.name.text.trim() !== name) return notify(state, message, "error");
  return { ...state, mode: { ...mode, problem: message } };
}

function otherField(form: Form, by: number): Form {
  const fields = FORM_FIELDS.filter((field) => field !== "name" || form.purpose === "add");
  return by === 0 ? form : { ...form, field: cycled(fields, form.field, by) };
}

/** The form after a key that edits the field with the focus; undefined if the key edits nothing there. */
function editField(form: Form, key: Key): Form | undefined {
  const edited =
    form.field === "type"
      ? editType(form, key)
      : form.field === "value"
        ? editValue(form, key)
        : editOneLine(form, form.field, key);
  const problem = hasControls(key) ? "control characters in the pasted text were left out" : undefined;
  return edited ? { ...edited, problem } : undefined;
}

function editOneLine(form: Form, field: "name" | "description", key: Key): Form | undefined {
  const edited = editLine(form[field], key);
  return edited === form[field] && key.text === "" ? undefined : { ...form, [field]: edited };
}

function editType(form: Form, key: Key): Form | undefined {
  const name = editKeyName(key);
  const by = name === "left" ? -1 : name === "right" || key.text === " " ? 1 : 0;
  return by === 0 ? undefined : withType(form, cycled(VARIABLE_TYPES, form.type, by));
}

/** Prepares the edit of a form, or shows why it can't be made. */
export function submit(state: State, form: Form): Step {
  const problem = nameProblem(state, form);
  const mode: Form = problem === undefined ? { ...form, problem } : { ...form, field: "name", problem };
  return problem === undefined
    ? step({ ...state, mode }, prepareForm(form.place ?? state.place, form))
    : step({ ...state, mode });
}

/** A variable without a value here must be edited too, which keeps its type. */
function nameProblem({ loaded }: State, { purpose, name }: Form): string | undefined {
  const text = name.text.trim();
  if (text === "") return "enter a name";
  const exists = loaded.entries.some(({ variable }) => variable.name === text);
  return purpose === "add" && exists ? `${text} already exists: edit it instead` : undefined;
}
