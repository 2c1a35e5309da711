import { isDeepStrictEqual } from "node:util";
import type { VariableEntry } from "../../domain/source.js";
import { type VariableType, valueText } from "../../domain/variable.js";
import { toFailure } from "../state/opened-places.js";
import type { Draft } from "../state/ports.js";
import { readingOf } from "../state/reading.js";
import { notify, type Part, type State, type Step } from "../state/state.js";
import { awaiting, step } from "../state/work.js";
import { indentedJson } from "../text/json.js";
import { ask } from "../view/question.js";
import { changeData, dataOf, hints, pop, push, type Screen, withData } from "../view/screen.js";
import { editKeyName, type Key } from "../widgets/key.js";
import { cycled } from "../widgets/list.js";
import { textField } from "../widgets/text-field.js";
import {
  editField,
  type Form,
  fieldsOf,
  HERE,
  initialForm,
  isChoice,
  isUnseen,
  isValueKept,
  withInput,
} from "./form-fields.js";
import { formPanel } from "./form-panel.js";
import { assignedIn, partsOf } from "./planning.js";
import { review } from "./review.js";

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
  hints: (_state, { field, inputs }) => {
    if (field !== "value") return isChoice(field) ? KEYS.choice : KEYS.text;
    return inputs.value.text.includes("\n") ? KEYS.lines : KEYS.value;
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
  const { initial, inputs, before } = form;
  const isTyped = isUnseen(before) && !isValueKept(form);
  return isTyped || fieldsOf(form).some((field) => inputs[field].text !== initial[field].text);
}

/** The name of the variable that is edited, or that is to be added. */
function nameOf({ purpose, inputs, initial }: Form): string {
  return purpose === "add" ? inputs.name.text.trim() : initial.name.text;
}

function draftOf(form: Form): Draft {
  const { before, inputs } = form;
  const name = nameOf(form);
  const typed = inputs.name.text.trim();
  const type = inputs.type.text as VariableType;
  const value = inputs.value.text;
  // Only a STRING can be empty.
  const isKept = isValueKept(form) || (isUnseen(before) && value === "" && type !== "STRING");
  return {
    ...{ name, newName: typed === name ? undefined : typed, before, type },
    value: isKept ? undefined : value,
    description: inputs.description.text,
    schema: inputs.schema.text,
    optional: inputs.optional.text === "yes",
    secret: inputs.secret.text === "yes",
  };
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
  if (edited) return step(withData(state, FORM, edited));
  if (name === "enter" && !["name", "type", "value"].includes(form.field)) return submit(state, form);
  const by = MOVES[name] ?? 0;
  return step(withData(state, FORM, { ...form, field: cycled(fieldsOf(form), form.field, by) }));
}

/** Which field a key goes to where it does nothing else. In a value of several lines only Tab leaves it. */
const MOVES: Readonly<Record<string, number>> = { tab: 1, down: 1, enter: 1, "shift-tab": -1, up: -1 };

/** Closes a form, after a question if something typed would be lost. */
function leaveForm(state: State, form: Form): Step {
  if (!isTouched(form)) return step(pop(state));
  return ask(state, { title: "Drop", text: "Drop your changes?", answer: "Drop", key: "ctrl-x" });
}

/** Prepares the edit of a form, or shows in the form why it can't be made. */
function submit(state: State, form: Form): Step {
  const withProblem = (now: State, problem: string | undefined, field = form.field) =>
    changeData(now, FORM, () => ({ ...form, field, problem }));
  const problem = nameProblem(state, form);
  if (problem !== undefined) return step(withProblem(state, problem, "name"));
  const places = form.inputs.for.text === HERE ? [form.place] : form.all;
  const draft = draftOf(form);
  return awaiting(withProblem(state, undefined), async (tools) => {
    try {
      const parts = await partsOf(tools, places, (editor, environments) => editor.prepare(draft, environments));
      return (now) => prepared(now, form, parts);
    } catch (error) {
      const { message } = toFailure(error);
      return (now) => step(withProblem(now, message));
    }
  });
}

/** Asks to confirm the edit made from a form, unless it was asked meanwhile whether to quit. */
function prepared(state: State, { purpose, before, inputs }: Form, parts: readonly Part[]): Step {
  if (!dataOf(state, FORM)) return step(state);
  if (parts.length === 0) return step(notify(pop(state), "nothing to change"));
  const isChangedMeanwhile = purpose === "edit" && !isDeepStrictEqual(parts[0]?.changes[0]?.before, before);
  return review(state, { purpose, parts, form: { text: inputs.value.text, isChangedMeanwhile } });
}

/** A variable without a value here must be edited too, which keeps its type. */
function nameProblem(state: State, { purpose, inputs, place, initial }: Form): string | undefined {
  const text = inputs.name.text.trim();
  if (text === "") return "enter a name";
  const isOther = text !== initial.name.text;
  if (!isOther || !readingOf(state, place).entries.some(({ variable }) => variable.name === text)) return undefined;
  return `${text} already exists${purpose === "add" ? ": edit it instead" : ""}`;
}

/**
 * Opens a text of a form in the person's own editor, or the value that stays, decrypted.
 *
 * @param then gets the form with the text, which counts as typed; undefined if nothing was changed
 */
function inEditor(state: State, form: Form, then: (state: State, edited: Form | undefined) => Step): Step {
  const field = form.field === "schema" ? "schema" : "value";
  const name = nameOf(form);
  const isJson = field === "schema" || form.inputs.type.text === "JSON";
  const sealed = field === "value" && isValueKept(form) ? form.before?.value : undefined;
  return awaiting(
    state,
    async ({ places, editText }) => {
      const text =
        sealed === undefined
          ? form.inputs[field].text
          : valueText((await places.open(form.place)).decrypt(name, sealed));
      const shown = isJson ? indentedJson(text) : text;
      const edited = await editText(shown, { name, isJson });
      // A schema is one line.
      const kept = field === "schema" ? edited.replaceAll(/\s*\n\s*/g, " ").trim() : edited;
      return (now) => then(now, edited === shown ? undefined : withInput(form, field, textField(kept)));
    },
    { isEditing: true },
  );
}

/** Opens the schema, if it has the focus, or the value in the person's own editor. */
function editTextOf(state: State, form: Form): Step {
  return inEditor(state, form, (now, edited) =>
    step(changeData(now, FORM, (open) => (edited ? { ...edited, problem: undefined } : open))),
  );
}

/** Opens the value in the person's own editor. The text counts as typed into the form, which shows a problem with it. */
export function openEditor(state: State, entry: VariableEntry): Step {
  const { name } = entry.variable;
  const form = initialForm(state, "edit", state.place, name, assignedIn(entry));
  return inEditor(state, form, (now, edited) =>
    edited ? submit(push(now, FORM, edited), edited) : step(notify(now, `${name} is unchanged`)),
  );
}
