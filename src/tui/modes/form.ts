import { isDeepStrictEqual } from "node:util";
import type { VariableEntry } from "../../domain/source.js";
import { isEncrypted, VARIABLE_TYPES, valueText } from "../../domain/variable.js";
import { cycled } from "../state/cursor.js";
import { editKeyName, type Key } from "../state/key.js";
import type { Draft, Edit } from "../state/ports.js";
import { backToBrowse, FORM_FIELDS, type Form, type State, type Step, step } from "../state/state.js";
import { editLine, editText, hasControls, insert, type TextField, textField } from "../state/text-field.js";
import { assignedIn, confirmEdit } from "./confirm.js";

/** Opens the form for a new variable, or for an existing one, with or without a value. */
export function openForm(state: State, purpose: Form["purpose"], entry?: VariableEntry): Step {
  return step({ ...state, mode: initialForm(purpose, entry) });
}

export function formKey(state: State, form: Form, key: Key): Step {
  const go = (mode: Form) => step(mode === form ? state : { ...state, mode });
  switch (editKeyName(key)) {
    case "escape":
      return step(backToBrowse(state, isTouched(state, form) ? "nothing was changed" : undefined));
    case "tab":
    case "down":
      return go(otherField(form, 1));
    case "shift-tab":
    case "up":
      return go(otherField(form, -1));
    case "ctrl-s":
      return submit(state, form);
    case "alt-e":
      return step(state, { type: "editText", text: form.value.text, name: nameOf(form), isJson: form.type === "JSON" });
    case "enter":
      return form.field === "description" ? submit(state, form) : go(otherField(form, 1));
    default:
      return go(editField(form, key));
  }
}

/** The form of a variable, with this text as its value. */
export function formWithText(entry: VariableEntry, text: string): Form {
  return { ...initialForm("edit", entry), value: textField(text) };
}

/** Handles the edit made from a form: asks to confirm it. Dropped if the form is gone. */
export function prepared(state: State, edit: Edit): State {
  const { mode } = state;
  const [change] = edit.changes;
  if (mode.kind !== "form" || change?.name !== nameOf(mode)) return state;
  if (isDeepStrictEqual(change.before, change.after)) return backToBrowse(state, "nothing to change");
  const back = { ...mode, problem: undefined };
  return confirmEdit({ ...state, mode: back }, mode.purpose, state.place, edit);
}

function initialForm(purpose: Form["purpose"], entry: VariableEntry | undefined): Form {
  const before = entry && assignedIn(entry);
  return {
    kind: "form",
    purpose,
    before,
    field: purpose === "add" ? "name" : "value",
    name: textField(entry?.variable.name ?? ""),
    type: entry?.variable.type ?? "STRING",
    // An encrypted value can't be edited, only replaced.
    value: textField(before?.value === undefined || isEncrypted(before.value) ? "" : valueText(before.value)),
    description: textField(entry?.variable.description ?? ""),
  };
}

function isTouched(state: State, form: Form): boolean {
  const entry = state.loaded.entries.find(({ variable }) => variable.name === form.name.text);
  const content = ({ name, type, value, description }: Form) => [name.text, type, value.text, description.text];
  return !isDeepStrictEqual(content(form), content(initialForm(form.purpose, entry)));
}

function otherField(form: Form, by: number): Form {
  const fields = FORM_FIELDS.filter((field) => field !== "name" || form.purpose === "add");
  return { ...form, field: cycled(fields, form.field, by) };
}

function editField(form: Form, key: Key): Form {
  if (form.field === "type") return editType(form, key);
  const field = form[form.field];
  const edited = form.field === "value" ? editValue(form, key) : editLine(field, key);
  const problem = hasControls(key) ? "control characters in the pasted text were left out" : undefined;
  return edited === field && problem === undefined ? form : { ...form, [form.field]: edited, problem };
}

function editType(form: Form, key: Key): Form {
  const name = editKeyName(key);
  const by = name === "left" ? -1 : name === "right" || key.text === " " ? 1 : 0;
  return by === 0 ? form : { ...form, type: cycled(VARIABLE_TYPES, form.type, by), problem: undefined };
}

function editValue({ type, value }: Form, key: Key): TextField {
  const name = editKeyName(key);
  if (name === "ctrl-j" || name === "alt-enter") return insert(value, "\n");
  if (type === "BOOLEAN" && key.text === " ") return textField(value.text === "true" ? "false" : "true");
  return editText(value, key);
}

export function submit(state: State, form: Form): Step {
  const problem = problemOf(state, form);
  if (problem) return step({ ...state, mode: { ...form, ...problem } });
  const { before, type, value, description } = form;
  const draft: Draft = { name: nameOf(form), before, type, value: value.text, description: description.text };
  return step({ ...state, mode: { ...form, problem: undefined } }, { type: "prepare", place: state.place, draft });
}

/** The checks that don't need the source. A variable without a value here must be edited too, which keeps its type. */
function problemOf({ loaded }: State, form: Form): Pick<Form, "field" | "problem"> | undefined {
  const name = nameOf(form);
  if (name === "") return { field: "name", problem: "enter a name" };
  const exists = loaded.entries.some((entry) => entry.variable.name === name);
  if (form.purpose === "add" && exists) return { field: "name", problem: `${name} already exists: edit it instead` };
  if (isEncrypted(form.before?.value) && form.value.text === "") {
    return { field: "value", problem: "the value is encrypted: type a new one" };
  }
  return undefined;
}

/** A pasted name can have a space or a line break around it. */
function nameOf({ name }: Form): string {
  return name.text.trim();
}
