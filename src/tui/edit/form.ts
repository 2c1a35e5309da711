import { isDeepStrictEqual } from "node:util";
import type { VariableEntry } from "../../domain/source.js";
import { isEncrypted, isPublic, textAs, VARIABLE_TYPES, type VariableType, valueText } from "../../domain/variable.js";
import { isRevealed, MASK, unmasking } from "../reading/shown.js";
import { type Size, textColumns } from "../state/layout.js";
import { placeName } from "../state/places.js";
import type { Assigned, Change, Edit } from "../state/ports.js";
import { type Failure, readingOf } from "../state/reading.js";
import { type Next, notify, type State, type Step, type Tools, type Work } from "../state/state.js";
import { awaiting, step, trying } from "../state/work.js";
import { visibleText } from "../text/graphemes.js";
import { indentedJson, textToEdit } from "../text/json.js";
import {
  cellText,
  countText,
  fitLine,
  indented,
  LABEL_WIDTH,
  type Line,
  labelled,
  line,
  wrapLines,
} from "../text/line.js";
import type { PanelContent } from "../view/panel.js";
import { ask } from "../view/question.js";
import { dataOf, hints, type KeyHint, pop, push, type Screen, withData } from "../view/screen.js";
import { PLACEHOLDERS } from "../view/values.js";
import { editKeyName, type Key } from "../widgets/key.js";
import { cycled } from "../widgets/list.js";
import {
  editLine,
  editText,
  hasControls,
  inputText,
  insert,
  moveLines,
  startOfLine,
  type TextField,
  textArea,
  textField,
  textInput,
} from "../widgets/text-field.js";
import { assignedIn, confirmEdit } from "./review.js";

const FORM_FIELDS = ["name", "type", "value", "description"] as const;
type FormField = (typeof FORM_FIELDS)[number];

interface Form {
  readonly purpose: "add" | "edit";
  /** Index of the place that is edited. */
  readonly place: number;
  /** Undefined for a new variable or one without a value. */
  readonly before: Change["before"];
  readonly field: FormField;
  readonly name: TextField;
  readonly type: VariableType;
  readonly value: TextField;
  /** While the field of the value is empty: the value stays, which is none, or encrypted and can't be shown. */
  readonly isValueKept: boolean;
  readonly description: TextField;
  readonly problem?: string | undefined;
}

const FORM_KEYS: Readonly<Record<FormField, readonly KeyHint[]>> = {
  name: hints("Ctrl-S review, Tab next field, Esc cancel"),
  type: hints("Ctrl-S review, Tab next field, ←→ change type, Esc cancel"),
  value: hints("Ctrl-S review, Tab next field, Ctrl-J new line, Esc cancel"),
  description: hints("Ctrl-S review, Tab next field, Esc cancel"),
};
const LINES_KEYS = hints("Ctrl-S review, Tab next field, Enter new line, Esc cancel");

const FORM: Screen<Form> = {
  name: "form",
  key: formKey,
  panel: formPanel,
  hints: (_state, { field, value }) => (field === "value" && value.text.includes("\n") ? LINES_KEYS : FORM_KEYS[field]),
  more: hints(
    "Alt-E edit the value in your own editor, Shift-Tab previous field, Ctrl-J new line in the value, PgUp 10 lines up, PgDn 10 lines down, Space the other BOOLEAN or type",
  ),
  types: () => true,
  places: (_state, { place }) => [place],
  breaksLines: ({ field }) => field === "value",
  lost: (form) => (isTouched(form) ? ", and lose your changes" : undefined),
};

const MARK_WIDTH = 2;

function formPanel(state: State, form: Form, size: Size): PanelContent {
  const place = placeName(state, form.place);
  const width = textColumns(size);
  const end = form.problem === undefined ? [] : wrapLines(`✗ ${form.problem}`, width, "danger");
  const room = Math.max(1, size.height - 2 - end.length);
  // An empty line above the fields and one below them, and the other fields.
  const height = Math.max(1, room - 2 - (FORM_FIELDS.length - 1));
  const blocks = FORM_FIELDS.map((field) => fieldLines(form, field, state, width, height));
  const fieldAt = blocks.flatMap((lines, index) => lines.map(() => FORM_FIELDS[index]));
  const gap: Line[] = fieldAt.length + 2 > room ? [] : [[]];
  const top = Math.max(0, fieldAt.indexOf(form.field) - room + 1);
  const fields = blocks.flat().slice(top, top + room);
  return {
    title: form.purpose === "add" ? `Add to ${place}` : `Edit in ${place}`,
    footnote: positionText(form),
    isFocused: true,
    lines: [...gap, ...fields, ...gap, ...end].map(indented),
    select: (now, { line: index }) => {
      const field = fieldAt[top + index - gap.length];
      const isFixed = field === "name" && form.purpose === "edit";
      return field === undefined || isFixed ? undefined : withData(now, FORM, { ...form, field });
    },
    pressesEnter: false,
  };
}

/** `line 3/12` */
function positionText({ field, value: { text, cursor } }: Form): string | undefined {
  if (field !== "value" || !text.includes("\n")) return undefined;
  return `line ${countText(lineCount(text.slice(0, cursor)))}/${countText(lineCount(text))}`;
}

function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

function fieldLines(form: Form, field: FormField, state: State, width: number, height: number): Line[] {
  const isFocused = form.field === field;
  const room = Math.max(1, width - MARK_WIDTH - LABEL_WIDTH);
  return fieldContent(form, field, state, room, height).map((content, index): Line => {
    const isFirst = index === 0;
    return [
      { text: isFocused && isFirst ? "› " : "  ", role: "accent" },
      ...labelled(isFirst ? field : "", fitLine(content, room), isFocused ? "accent" : "muted"),
    ];
  });
}

function fieldContent(form: Form, field: FormField, state: State, width: number, height: number): Line[] {
  const isFocused = form.field === field;
  if (field === "type") return [[{ text: isFocused ? `◂ ${form.type} ▸` : form.type, isBold: isFocused }]];
  if (field === "name" && form.purpose === "edit") {
    return [[{ text: visibleText(form.name.text) }, { text: "  (fixed)", role: "muted" }]];
  }
  const { text } = form[field];
  if (isFocused) {
    if (text === "" && field === "value") return [emptyValue(form)];
    return field === "value" ? textArea(form.value, width, height) : [textInput(form[field], width)];
  }
  if (text === "") return [field === "value" ? [emptyText(form)] : line("(empty)", "muted")];
  const isShown =
    field !== "value" || isRevealed(state.revealed, form.name.text) || isPublic(unmasking(state, form.before));
  return [isShown ? line(cellText(inputText(text), width)) : line(MASK, "muted")];
}

/** The cursor in the empty field, and the meaning of an empty field. */
function emptyValue(form: Form): Line {
  return [...textInput(form.value, 1), { text: " " }, emptyText(form)];
}

function emptyText({ type, before, isValueKept }: Form): Line[number] {
  if (isValueKept && before?.value !== undefined) return { text: "(encrypted; type a new value)", role: "muted" };
  if (isValueKept) return PLACEHOLDERS.none;
  return type === "STRING" ? PLACEHOLDERS.shown : { text: "(nothing)", role: "muted" };
}

/** A form before any input. @param before the variable as it is; undefined for a new one */
function initialForm(purpose: Form["purpose"], place: number, name: string, before: Assigned | undefined): Form {
  return {
    purpose,
    place,
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
  return !isDeepStrictEqual(content(form), content(initialForm(form.purpose, form.place, name, form.before)));
}

/** Prepares the edit of a form. */
function prepareForm({ place, before, name, type, value, isValueKept, description }: Form): Work {
  // Only a STRING can be empty.
  const isKept = isUnseen(before) && value.text === "" && (isValueKept || type !== "STRING");
  const draft = { name: name.text.trim(), before, type, description: description.text };
  const text = isKept ? undefined : value.text;
  const prepare: Work = async ({ places }) => {
    const edit = (await places.openToEdit(place)).editor.prepare({ ...draft, value: text });
    return (state) => step(prepared(state, edit, text));
  };
  return trying(prepare, (failure) => (state) => step(notPrepared(state, draft.name, failure)));
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

/** Closes a form, after a question if something typed would be lost. */
function leaveForm(state: State, form: Form): Step {
  if (!isTouched(form)) return step(pop(state));
  return ask(state, { title: "Drop", text: "Drop your changes?", answer: "Drop", isDestructive: true });
}

/** Opens the form for a new variable, or for an existing one, with or without a value. */
export function openForm(state: State, purpose: Form["purpose"], entry?: VariableEntry, place = state.place): Step {
  const form = initialForm(purpose, place, entry?.variable.name ?? "", entry && assignedIn(entry));
  return step(push(state, FORM, form));
}

function formKey(state: State, form: Form, key: Key): Step {
  const name = editKeyName(key);
  if (name === "escape") return leaveForm(state, form);
  if (name === "ctrl-s") return submit(state, form);
  if (name === "alt-e") return editTextOf(state, form);
  const edited = name === "tab" || name === "shift-tab" ? undefined : editField(form, key);
  if (!edited && name === "enter" && form.field === "description") return submit(state, form);
  const next = edited ?? otherField(form, MOVES[name] ?? 0);
  return step(next === form ? state : withData(state, FORM, next));
}

/** Opens the value in the person's own editor: the text of the form, or the value that stays, which is decrypted for it. */
function editTextOf(state: State, form: Form): Step {
  const { place, before, type, value, isValueKept } = form;
  const name = form.name.text.trim();
  const sealed = isValueKept && value.text === "" ? before?.value : undefined;
  const edit: Work = async (tools) => {
    const plain = sealed === undefined ? value.text : valueText((await tools.places.open(place)).decrypt(name, sealed));
    const text = await editedText(tools, type === "JSON" ? indentedJson(plain) : plain, name, type);
    return (now) => step(textEdited(now, text));
  };
  return awaiting(state, edit, { isEditing: true });
}

/** Opens a text in the person's own editor. Undefined if nothing was changed. */
async function editedText({ editText }: Tools, before: string, name: string, type: VariableType) {
  const text = await editText(before, { name, isJson: type === "JSON" });
  return text === before ? undefined : text;
}

/** Which field a key goes to where it does nothing else. In a value of several lines only Tab leaves it. */
const MOVES: Readonly<Record<string, number>> = { tab: 1, down: 1, enter: 1, "shift-tab": -1, up: -1 };

/** Handles the edit made from a form: asks to confirm it. Dropped if the form is gone. */
function prepared(state: State, edit: Edit, text?: string): State {
  const form = dataOf(state, FORM);
  const [change] = edit.changes;
  if (!form || change?.name !== form.name.text.trim()) return state;
  if (isDeepStrictEqual(change.before, change.after)) return notify(pop(state), "nothing to change");
  const { purpose, place, before } = form;
  const isChangedMeanwhile = purpose === "edit" && !isDeepStrictEqual(change.before, before);
  const again: Next = (now) => awaiting(now, prepareForm(form));
  const back = withData(state, FORM, { ...form, problem: undefined });
  return confirmEdit(back, purpose, place, edit, { isChangedMeanwhile, text, again });
}

/** Handles the refusal of a form's edit: the form shows why. */
function notPrepared(state: State, name: string, { message }: Failure): State {
  const form = dataOf(state, FORM);
  if (form?.name.text.trim() !== name) return notify(state, message, "error");
  return withData(state, FORM, { ...form, problem: message });
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
  if (problem !== undefined) return step(withData(state, FORM, { ...form, field: "name", problem }));
  return awaiting(withData(state, FORM, { ...form, problem }), prepareForm(form));
}

/** A variable without a value here must be edited too, which keeps its type. */
function nameProblem(state: State, { purpose, name }: Form): string | undefined {
  const text = name.text.trim();
  if (text === "") return "enter a name";
  const exists = readingOf(state).entries.some(({ variable }) => variable.name === text);
  return purpose === "add" && exists ? `${text} already exists: edit it instead` : undefined;
}

/** Opens the value in the person's own editor. */
export function openEditor(state: State, entry: VariableEntry): Step {
  const { place } = state;
  const { name, type } = entry.variable;
  const edit: Work = async (tools) => {
    const { decrypt } = await tools.places.openToEdit(place);
    const text = await editedText(tools, textToEdit(entry, decrypt), name, type);
    return (now) => valueEdited(now, place, entry, text);
  };
  return awaiting(state, edit, { isEditing: true });
}

/** Handles the text that the editor saved: as if it had been typed into the form, which shows a problem with it. */
function valueEdited(state: State, place: number, entry: VariableEntry, text: string | undefined): Step {
  const { name } = entry.variable;
  if (text === undefined) return step(notify(state, `${name} is unchanged`));
  const form = { ...initialForm("edit", place, name, assignedIn(entry)), ...typedText(text) };
  return submit(push(state, FORM, form), form);
}

/** Handles the text for the form that the editor was opened from. Dropped if the form is gone. */
function textEdited(state: State, text: string | undefined): State {
  const form = dataOf(state, FORM);
  if (!form || text === undefined) return state;
  return withData(state, FORM, { ...form, ...typedText(text), problem: undefined });
}

/** An empty text is typed too: it does not mean that the value stays. */
function typedText(text: string): Pick<Form, "value" | "isValueKept"> {
  return { value: textField(text), isValueKept: false };
}
