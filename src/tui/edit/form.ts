import { isDeepStrictEqual } from "node:util";
import type { VariableEntry } from "../../domain/source.js";
import { isEncrypted, textAs, VARIABLE_TYPES, type VariableType, valueText } from "../../domain/variable.js";
import type { Effect } from "../state/effects.js";
import type { Failure } from "../state/loaded.js";
import { type Step, step } from "../state/messages.js";
import { FORM_FIELDS, type Form, isQuitQuestion, modesUnder } from "../state/modes.js";
import type { Assigned, Edit } from "../state/ports.js";
import { backToBrowse, isBeingWritten, notify, type State } from "../state/state.js";
import { ask } from "../view/question.js";
import { editKeyName, type Key } from "../widgets/key.js";
import { cycled } from "../widgets/list.js";
import {
  editLine,
  editText,
  hasControls,
  insert,
  moveLines,
  startOfLine,
  type TextField,
  textField,
} from "../widgets/text-field.js";
import { assignedIn, confirmEdit } from "./review.js";

/** A form before any input. @param before the variable as it is; undefined for a new one */
function initialForm(purpose: Form["purpose"], name: string, before: Assigned | undefined): Form {
  return {
    kind: "form",
    purpose,
    before,
    field: purpose === "add" ? "name" : "value",
    name: textField(name),
    type: before?.type ?? "STRING",
    value: initialValue(before),
    isValueKept: isUnseen(before),
    description: textField(before?.description ?? ""),
  };
}

/** A variable has a value that can't be edited, only replaced: an encrypted one, or none. */
function isUnseen(before: Assigned | undefined): boolean {
  return before !== undefined && (before.value === undefined || isEncrypted(before.value));
}

/**
 * The text of the value, JSON with an indent. The cursor is at the start of several lines, or else at the end.
 *
 * @param type the type that is chosen: as a STRING, the value is the output of `get`
 */
function initialValue(before: Assigned | undefined, type = before?.type): TextField {
  if (!before || before.value === undefined || isEncrypted(before.value)) return textField("");
  const text = type === "STRING" ? valueText(before.value) : textAs(before.value, before.type, 2);
  return text.includes("\n") ? { text, cursor: 0 } : textField(text);
}

/** The form with another type. A value that was not edited follows the type. */
function withType(form: Form, type: VariableType): Form {
  const isEdited = form.value.text !== initialValue(form.before, form.type).text;
  return { ...form, type, value: isEdited ? form.value : initialValue(form.before, type) };
}

/** Whether something was typed or chosen that would be lost with the form. */
function isTouched(form: Form): boolean {
  const content = ({ name, type, value, isValueKept, description }: Form) => {
    return [name.text, type, value.text, value.text === "" && isValueKept, description.text];
  };
  const name = form.purpose === "add" ? "" : form.name.text;
  return !isDeepStrictEqual(content(form), content(initialForm(form.purpose, name, form.before)));
}

/** Prepares the edit of a form. */
export function prepareForm(place: number, { before, name, type, value, isValueKept, description }: Form): Effect {
  // Only a STRING can be empty.
  const isKept = isUnseen(before) && value.text === "" && (isValueKept || type !== "STRING");
  const draft = { name: name.text.trim(), before, type, description: description.text };
  return { type: "prepare", place, draft: { ...draft, value: isKept ? undefined : value.text } };
}

/** Lines of a step with PgUp and PgDn. */
const PAGE = 10;

/** How far a key moves in a text of several lines. */
const LINES: Readonly<Record<string, number>> = { up: -1, down: 1, pageup: -PAGE, pagedown: PAGE };

/** The form after a key in the field of its value; undefined if the key edits nothing there. */
function editValue(form: Form, key: Key): Form | undefined {
  // With Backspace in the empty field, the value stays as it is after all.
  if (form.value.text === "" && editKeyName(key) === "backspace") {
    return { ...form, isValueKept: isUnseen(form.before) };
  }
  const value = editedField(form, key);
  if (value === form.value && key.text === "") return undefined;
  return { ...form, value, isValueKept: form.isValueKept && value.text === form.value.text };
}

/** The same field if the key means nothing in it. */
function editedField({ type, value }: Form, key: Key): TextField {
  const name = editKeyName(key);
  const hasLines = value.text.includes("\n");
  const lines = LINES[name];
  if (lines !== undefined) return hasLines ? moveLines(value, lines) : value;
  if (name === "ctrl-j" || name === "alt-enter" || (name === "enter" && hasLines)) {
    return insert(value, `\n${type === "JSON" ? indentOf(value) : ""}`);
  }
  if (type === "BOOLEAN" && key.text === " ") return textField(value.text === "true" ? "false" : "true");
  return editText(value, key);
}

/** The spaces that the line of the cursor begins with. */
function indentOf({ text, cursor }: TextField): string {
  return /^ */.exec(text.slice(startOfLine(text, cursor), cursor))?.[0] ?? "";
}

/** Returns to the mode that the form was opened from, with a notice if there is something to say. */
function closeForm(state: State, { back }: Form, text?: string): State {
  const closed = backToBrowse(state, text);
  return back ? { ...closed, mode: back } : closed;
}

/** Closes a form, after a question if something typed would be lost. */
function leaveForm(state: State, form: Form): Step {
  if (!isTouched(form)) return step(closeForm(state, form));
  return ask(state, { title: "Drop", text: "Drop your changes?", answer: "Drop", isDestructive: true });
}

/** Ctrl-C quits at once unless something would be lost: then it asks, and quits when it is pressed again. */
export function quit(state: State): Step {
  const lost = isQuitQuestion(state.mode) ? undefined : lostText(state);
  if (lost === undefined) return step(state, { type: "quit" });
  const text = `Quit${lost}? Ctrl-C again quits.`;
  return ask(state, { title: "Quit", text, answer: "Quit", isDestructive: true, effect: { type: "quit" } });
}

/** The loss that the question before quitting names: new credentials, shown or about to be, or typed text. */
function lostText(state: State): string | undefined {
  const { mode, pending } = state;
  if (pending?.type === "rotate" || pending?.type === "addEnvironment") return " without the new credentials";
  if (mode.kind === "confirm" && isBeingWritten(state, mode)) return undefined;
  const modes = modesUnder(mode);
  const shown = modes.find(({ kind }) => kind === "credentials");
  if (shown?.kind === "credentials") return ` without the new credentials of ${shown.credentials.environment}`;
  return modes.some((each) => each.kind === "form" && isTouched(each)) ? ", and lose your changes" : undefined;
}

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
function submit(state: State, form: Form): Step {
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
