import { isDeepStrictEqual } from "node:util";
import { isEncrypted, VARIABLE_TYPES, valueText } from "../../domain/variable.js";
import type { Draft, Edit, Entry } from "../ports.js";
import { assigned } from "./assigned.js";
import { backToBrowse } from "./back-to-browse.js";
import type { Key } from "./message.js";
import type { Failure, Form, FormField, State } from "./state.js";
import { type Step, step } from "./step.js";
import { editLine, editText, hasControls, insert, textField } from "./text-field.js";
import { editKeyName } from "./typed.js";

/** Opens the form for a new variable, or for one that there is, whether it has a value or not. */
export function openForm(state: State, purpose: Form["purpose"], entry?: Entry): Step {
  return step({ ...state, mode: emptyForm(purpose, entry) });
}

export function formKey(state: State, form: Form, key: Key): Step {
  switch (editKeyName(key)) {
    case "escape":
      return step(backToBrowse(state, isTouched(state, form) ? "nothing was changed" : undefined));
    case "tab":
    case "down":
      return step({ ...state, mode: otherField(form, 1) });
    case "shift-tab":
    case "up":
      return step({ ...state, mode: otherField(form, -1) });
    case "ctrl-s":
      return submit(state, form);
    case "enter":
      return form.field === "description" ? submit(state, form) : step({ ...state, mode: otherField(form, 1) });
    default:
      return step(withForm(state, form, editField(form, key)));
  }
}

/** The edit that a form asked for is there: shows it, to be confirmed. Dropped when that form is gone. */
export function prepared(state: State, edit: Edit): State {
  const { mode } = state;
  if (mode.kind !== "form" || edit.name !== nameOf(mode)) return state;
  if (isDeepStrictEqual(edit.before, edit.after)) return backToBrowse(state, "nothing to change");
  const form: Form = { ...mode, problem: undefined };
  const { purpose } = form;
  // Whoever has just typed the value may see it.
  return {
    ...state,
    mode: { kind: "confirm", purpose, edit, isRevealed: true, isBusy: false, problem: undefined, form, top: 0 },
  };
}

/** What was asked for can't be: says so where it was asked. Dropped when nobody is asking any more. */
export function refused(state: State, failure: Failure): State {
  const { mode } = state;
  if (mode.kind === "form") return { ...state, mode: { ...mode, problem: failure.message } };
  if (mode.kind !== "confirm" || !mode.isBusy) return state;
  return { ...state, mode: { ...mode, problem: failure.message, isBusy: false } };
}

function emptyForm(purpose: Form["purpose"], entry: Entry | undefined): Form {
  const before = entry && assigned(entry);
  return {
    kind: "form",
    purpose,
    before,
    field: purpose === "add" ? "name" : "value",
    name: textField(entry?.variable.name ?? ""),
    type: entry?.variable.type ?? "STRING",
    // What is encrypted is of no use to whoever types, so they type a new one.
    value: textField(before && !isEncrypted(before.value) ? valueText(before.value) : ""),
    description: textField(entry?.variable.description ?? ""),
    problem: undefined,
  };
}

function isTouched(state: State, form: Form): boolean {
  const entry = state.loaded.entries.find(({ variable }) => variable.name === form.name.text);
  const untouched = emptyForm(form.purpose, entry);
  const content = ({ name, type, value, description }: Form) => [name.text, type, value.text, description.text];
  return !isDeepStrictEqual(content(form), content(untouched));
}

function otherField(form: Form, by: number): Form {
  const fields: FormField[] = ["name", "type", "value", "description"];
  if (form.purpose === "edit") fields.shift();
  const at = fields.indexOf(form.field) + by + fields.length;
  return { ...form, field: fields[at % fields.length] ?? "value" };
}

function withForm(state: State, before: Form, form: Form): State {
  return form === before ? state : { ...state, mode: form };
}

function editField(form: Form, key: Key): Form {
  if (form.field === "type") return editType(form, key);
  const field = form[form.field];
  const edited = form.field === "value" ? editValue(form, key) : editLine(field, key);
  const problem = hasControls(key) ? "control characters of what was pasted were left out" : undefined;
  return edited === field && problem === undefined ? form : { ...form, [form.field]: edited, problem };
}

const TYPE_STEPS: Readonly<Record<string, number>> = { left: -1, right: 1, " ": 1 };

function editType(form: Form, key: Key): Form {
  const by = TYPE_STEPS[key.text === " " ? " " : editKeyName(key)] ?? 0;
  const at = VARIABLE_TYPES.indexOf(form.type) + by + VARIABLE_TYPES.length;
  return by === 0
    ? form
    : { ...form, type: VARIABLE_TYPES[at % VARIABLE_TYPES.length] ?? form.type, problem: undefined };
}

function editValue({ type, value }: Form, key: Key): Form["value"] {
  const name = editKeyName(key);
  if (name === "ctrl-j" || name === "alt-enter") return insert(value, "\n");
  if (type === "BOOLEAN" && key.text === " ") return textField(value.text === "true" ? "false" : "true");
  return editText(value, key);
}

function submit(state: State, form: Form): Step {
  const wrong = whatIsWrong(state, form);
  if (wrong) return step({ ...state, mode: { ...form, ...wrong } });
  const { before, type, value, description } = form;
  const draft: Draft = { name: nameOf(form), before, type, value: value.text, description: description.text };
  return step({ ...state, mode: { ...form, problem: undefined } }, { type: "prepare", draft });
}

/** What can be told without the source. One that has no value here is edited too, so that its type is kept. */
function whatIsWrong({ loaded }: State, form: Form): Pick<Form, "field" | "problem"> | undefined {
  const name = nameOf(form);
  if (name === "") return { field: "name", problem: "it needs a name" };
  const isThere = loaded.entries.some((entry) => entry.variable.name === name);
  if (form.purpose === "add" && isThere) return { field: "name", problem: `${name} is there already: edit it instead` };
  if (isEncrypted(form.before?.value) && form.value.text === "") {
    return { field: "value", problem: "the value is encrypted: type a new one" };
  }
  return undefined;
}

/** A name that was pasted may have a space or a line break about it. */
function nameOf({ name }: Form): string {
  return name.text.trim();
}
