import { isDeepStrictEqual } from "node:util";
import type { VariableEntry } from "../../domain/source.js";
import { type VariableType, valueText } from "../../domain/variable.js";
import type { Draft } from "../state/ports.js";
import { readingOf } from "../state/reading.js";
import { type Next, notify, type Part, type State, type Step, type Work } from "../state/state.js";
import { awaiting, step, trying } from "../state/work.js";
import { indentedJson } from "../text/json.js";
import { ask } from "../view/question.js";
import { dataOf, hints, pop, push, type Screen, withData } from "../view/screen.js";
import { editKeyName, type Key } from "../widgets/key.js";
import { cycled } from "../widgets/list.js";
import { textField } from "../widgets/text-field.js";
import {
  CHOICES,
  editField,
  type Form,
  type FormInput,
  fieldsOf,
  initialForm,
  isChoice,
  isUnseen,
  withText,
} from "./form-fields.js";
import { formPanel } from "./form-panel.js";
import { assignedIn, partsOf } from "./planning.js";
import { confirmEdit } from "./review.js";

const KEYS = {
  text: hints("Ctrl-S review, Tab next field, Esc cancel"),
  choice: hints("Ctrl-S review, Tab next field, ←→ change, Esc cancel"),
  value: hints("Ctrl-S review, Tab next field, Ctrl-J new line, Esc cancel"),
  lines: hints("Ctrl-S review, Tab next field, Enter new line, Esc cancel"),
};

const FORM: Screen<Form> = {
  name: "form",
  key: formKey,
  panel: (state, form, size) => formPanel(state, form, size, (now, field) => withData(now, FORM, { ...form, field })),
  hints: (_state, { field, texts }) => {
    if (field !== "value") return isChoice(field) ? KEYS.choice : KEYS.text;
    return texts.value.text.includes("\n") ? KEYS.lines : KEYS.value;
  },
  more: hints(
    "Alt-E edit the value in your own editor (or the schema), Shift-Tab previous field, Ctrl-J new line in the value, PgUp 10 lines up, PgDn 10 lines down, Space the other BOOLEAN or choice",
  ),
  types: () => true,
  places: (_state, { place }) => [place],
  breaksLines: ({ field }) => field === "value",
  lost: (form) => (isTouched(form) ? ", and lose your changes" : undefined),
};

/** Whether something was typed or chosen that would be lost with the form. */
function isTouched(form: Form): boolean {
  const content = ({ texts, chosen, isValueKept }: FormInput) => {
    return [Object.values(texts).map(({ text }) => text), chosen, texts.value.text === "" && isValueKept];
  };
  return !isDeepStrictEqual(content(form), content(form.initial));
}

/** The name of the variable that is edited, or that is to be added. */
function nameOf({ purpose, texts, initial }: Form): string {
  return purpose === "add" ? texts.name.text.trim() : initial.texts.name.text;
}

function draftOf(form: Form): Draft {
  const { before, texts, chosen, isValueKept } = form;
  const name = nameOf(form);
  const typed = texts.name.text.trim();
  const type = chosen.type as VariableType;
  // Only a STRING can be empty.
  const isKept = isUnseen(before) && texts.value.text === "" && (isValueKept || type !== "STRING");
  return {
    ...{ name, newName: typed === name ? undefined : typed, before, type },
    value: isKept ? undefined : texts.value.text,
    description: texts.description.text,
    schema: texts.schema.text,
    optional: chosen.optional === "yes",
    secret: chosen.secret === "yes",
  };
}

/** Prepares the edit of a form. */
function prepareForm(form: Form): Work {
  const draft = draftOf(form);
  const places = form.chosen.for === CHOICES.for[0] ? [form.place] : form.all;
  const prepare: Work = async (tools) => {
    const parts = await partsOf(tools, places, (editor, environments) => editor.prepare(draft, environments));
    return (state) => step(prepared(state, draft, parts));
  };
  return trying(
    prepare,
    ({ message }) =>
      (state) =>
        step(notPrepared(state, draft.name, message)),
  );
}

/** Handles the edit made from a form: asks to confirm it. Dropped if the form is gone. */
function prepared(state: State, { name, value: text }: Draft, parts: readonly Part[]): State {
  const form = dataOf(state, FORM);
  if (!form || nameOf(form) !== name) return state;
  if (parts.length === 0) return notify(pop(state), "nothing to change");
  const { purpose, before } = form;
  const isChangedMeanwhile = purpose === "edit" && !isDeepStrictEqual(parts[0]?.changes[0]?.before, before);
  const again: Next = (now) => awaiting(now, prepareForm(form));
  const back = withData(state, FORM, { ...form, problem: undefined });
  return confirmEdit(back, { purpose, parts }, { isChangedMeanwhile, text, again });
}

/** Handles the refusal of a form's edit: the form shows why. */
function notPrepared(state: State, name: string, message: string): State {
  const form = dataOf(state, FORM);
  if (!form || nameOf(form) !== name) return notify(state, message, "error");
  return withData(state, FORM, { ...form, problem: message });
}

/** Opens the form for a new variable, or for an existing one, with or without a value. */
export function openForm(state: State, purpose: Form["purpose"], entry?: VariableEntry, place = state.place): Step {
  const form = initialForm(state, purpose, place, entry?.variable.name ?? "", entry && assignedIn(entry));
  return step(push(state, FORM, form));
}

function formKey(state: State, form: Form, key: Key): Step {
  const name = editKeyName(key);
  if (name === "escape") return leaveForm(state, form);
  if (name === "ctrl-s") return submit(state, form);
  if (name === "alt-e") return editTextOf(state, form);
  const edited = name === "tab" || name === "shift-tab" ? undefined : editField(form, key);
  const isLast = !["name", "type", "value"].includes(form.field);
  if (!edited && name === "enter" && isLast) return submit(state, form);
  const by = MOVES[name] ?? 0;
  const moved = by === 0 ? form : { ...form, field: cycled(fieldsOf(form), form.field, by) };
  const next = edited ?? moved;
  return step(next === form ? state : withData(state, FORM, next));
}

/** Which field a key goes to where it does nothing else. In a value of several lines only Tab leaves it. */
const MOVES: Readonly<Record<string, number>> = { tab: 1, down: 1, enter: 1, "shift-tab": -1, up: -1 };

/** Closes a form, after a question if something typed would be lost. */
function leaveForm(state: State, form: Form): Step {
  if (!isTouched(form)) return step(pop(state));
  return ask(state, { title: "Drop", text: "Drop your changes?", answer: "Drop", isDestructive: true });
}

/** Prepares the edit of a form, or shows why it can't be made. */
function submit(state: State, form: Form): Step {
  const problem = nameProblem(state, form);
  if (problem !== undefined) return step(withData(state, FORM, { ...form, field: "name", problem }));
  return awaiting(withData(state, FORM, { ...form, problem }), prepareForm(form));
}

/** A variable without a value here must be edited too, which keeps its type. */
function nameProblem(state: State, { purpose, texts, place, initial }: Form): string | undefined {
  const text = texts.name.text.trim();
  if (text === "") return "enter a name";
  const isOther = text !== initial.texts.name.text;
  if (!isOther || !readingOf(state, place).entries.some(({ variable }) => variable.name === text)) return undefined;
  return `${text} already exists${purpose === "add" ? ": edit it instead" : ""}`;
}

/**
 * Opens a text of a form in the person's own editor, or the value that stays, decrypted.
 *
 * @param then gets the text; undefined if nothing was changed
 */
function inEditor(
  state: State,
  form: Form,
  field: "schema" | "value",
  then: (state: State, text: string | undefined) => Step,
): Step {
  const { place, before, texts, chosen, isValueKept } = form;
  const name = nameOf(form);
  const { text } = texts[field];
  const isJson = field === "schema" || chosen.type === "JSON";
  const sealed = field === "value" && isValueKept && text === "" ? before?.value : undefined;
  const edit: Work = async ({ places, editText }) => {
    const plain = sealed === undefined ? text : valueText((await places.open(place)).decrypt(name, sealed));
    const shown = isJson ? indentedJson(plain) : plain;
    const edited = await editText(shown, { name, isJson });
    return (now) => then(now, edited === shown ? undefined : edited);
  };
  return awaiting(state, edit, { isEditing: true });
}

/** Opens the schema, if it has the focus, or the value in the person's own editor. */
function editTextOf(state: State, form: Form): Step {
  const field = form.field === "schema" ? "schema" : "value";
  return inEditor(state, form, field, (now, text) => {
    const open = dataOf(now, FORM);
    if (!open || text === undefined) return step(now);
    // A schema is one line.
    const oneLine = textField(text.replaceAll(/\s*\n\s*/g, " ").trim());
    const next = field === "value" ? withTypedValue(open, text) : withText(open, field, oneLine);
    return step(withData(now, FORM, { ...next, problem: undefined }));
  });
}

/** An empty text is typed too: it does not mean that the value stays. */
function withTypedValue(form: Form, text: string): Form {
  return { ...withText(form, "value", textField(text)), isValueKept: false };
}

/** Opens the value in the person's own editor. The text counts as typed into the form, which shows a problem with it. */
export function openEditor(state: State, entry: VariableEntry): Step {
  const { name } = entry.variable;
  const form = initialForm(state, "edit", state.place, name, assignedIn(entry));
  return inEditor(state, form, "value", (now, text) => {
    if (text === undefined) return step(notify(now, `${name} is unchanged`));
    const typed = withTypedValue(form, text);
    return submit(push(now, FORM, typed), typed);
  });
}
