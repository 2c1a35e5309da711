import { isDeepStrictEqual } from "node:util";
import type { VariableEntry } from "../../model/reads/variable-entries.js";
import { type VariableType, valueText } from "../../model/variable.js";
import { plannedParts } from "../edit/planning.js";
import { review } from "../edit/review.js";
import type { Part } from "../edit/review-text.js";
import { ask } from "../stack/question.js";
import { changeData, dataOf, hints, pop, push, type Screen, withData } from "../stack/screen.js";
import { blockingEffect } from "../state/effects.js";
import { layoutOf, questionSize } from "../state/layout.js";
import type { Draft } from "../state/ports.js";
import { InvalidFieldError, toFailure } from "../state/readings.js";
import { type Effect, notify, type State, type Tools } from "../state/state.js";
import { indentedJson } from "../table/reveal.js";
import { editKeyName, type Key } from "../widgets/key.js";
import { cycled } from "../widgets/list.js";
import { atPosition } from "../widgets/text-field.js";
import {
  editField,
  type Field,
  type Form,
  INPUT_FIELDS,
  initialForm,
  isChoice,
  isValueKept,
  startsEmpty,
  withInput,
} from "./form-fields.js";
import { formPanel, valueHeight } from "./form-panel.js";

const FORM: Screen<Form> = {
  name: "form",
  key: formKey,
  panel: (state, form, size) =>
    formPanel(state, form, size, (now, next) => withData(now, FORM, next)),
  hints: (_state, { field, inputs }) => {
    const newLine = inputs.value.text.includes("\n") ? "Enter new line, " : "Ctrl-J new line, ";
    const own: Partial<Record<Field, string>> = { value: newLine, for: "Space mark, * mark all, " };
    return hints(
      `Ctrl-S review, Tab next field, ${isChoice(field) ? "←→ change, " : (own[field] ?? "")}Esc back`,
    );
  },
  more: () =>
    hints(
      "Alt-E edit the value (or the schema) in your own editor, Enter next field, ↑↓ previous or next field, Shift-Tab previous field, Ctrl-J new line in the value, PgUp a page up, PgDn a page down, Alt-U undo in the form, Space toggle a BOOLEAN or go to the next choice",
    ),
  types: () => true,
  places: (_state, { place }) => [place],
  breaksLines: ({ field }) => field === "value",
  lost: (form) => (isDirty(form) ? ", and lose your changes" : undefined),
};

function isDirty(form: Form): boolean {
  const { initial, inputs, before } = form;
  const isTyped = startsEmpty(before) && !isValueKept(form);
  const isChosen = form.targets.size !== 1 || !form.targets.has(form.place);
  return (
    isTyped || isChosen || INPUT_FIELDS.some((field) => inputs[field].text !== initial[field].text)
  );
}

function nameOf({ before, inputs, initial }: Form): string {
  return before ? initial.name.text : inputs.name.text.trim();
}

function draftOf(form: Form): Draft {
  const { before, inputs } = form;
  const name = nameOf(form);
  const typed = inputs.name.text.trim();
  const type = inputs.type.text as VariableType;
  const value = inputs.value.text;
  // Only a STRING can have an empty value.
  const isKept = isValueKept(form) || (startsEmpty(before) && value === "" && type !== "STRING");
  return {
    name,
    newName: typed === name ? undefined : typed,
    before,
    type,
    value: isKept ? undefined : value,
    description: inputs.description.text,
    schema: inputs.schema.text,
    optional: inputs.optional.text === "yes",
    secret: inputs.secret.text === "yes",
  };
}

export function openForm(state: State, entry: VariableEntry | undefined, place: number): State {
  return push(state, FORM, initialForm(state, place, entry));
}

function formKey(state: State, form: Form, key: Key): State {
  const name = editKeyName(key);
  if (name === "escape") return leaveForm(state, form);
  if (name === "ctrl-s") return submit(state, form);
  if (name === "alt-e") {
    return inEditor(state, form, (now, next, field) => submit(withForm(now, next), next, field));
  }
  if (name === "alt-u") {
    return form.previous
      ? withData(state, FORM, form.previous)
      : notify(state, "nothing to undo in the form");
  }
  const page = valueHeight(form, questionSize(layoutOf(state)));
  const edited = name === "tab" || name === "shift-tab" ? undefined : editField(form, key, page);
  if (edited) return withData(state, FORM, edited);
  if (name === "enter" && !["name", "type", "value"].includes(form.field))
    return submit(state, form);
  const by = FIELD_KEYS[name] ?? 0;
  return withData(state, FORM, { ...form, field: cycled(form.fields, form.field, by) });
}

function withForm(state: State, form: Form): State {
  return changeData(state, FORM, () => form);
}

/**
 * The keys that move to another field when they do nothing else. Only Tab
 * leaves a value with several lines.
 */
const FIELD_KEYS: Readonly<Record<string, number>> = {
  tab: 1,
  down: 1,
  enter: 1,
  "shift-tab": -1,
  up: -1,
};

function leaveForm(state: State, form: Form): State {
  if (!isDirty(form)) return pop(state);
  return ask(state, {
    title: "Discard",
    text: "Discard your changes?",
    key: "ctrl-x",
  });
}

/**
 * Asks to confirm the edit, or shows why it can't be made.
 *
 * @param checked only check this field
 */
function submit(state: State, form: Form, checked?: Field): State {
  const places = [...form.targets];
  if (places.length === 0)
    return withForm(state, {
      ...form,
      field: "for",
      problem: "press Space to mark an environment",
    });
  const draft = draftOf(form);
  return blockingEffect(withForm(state, { ...form, problem: undefined }), async (tools) => {
    try {
      const parts = await plannedParts(tools, places, (editor, environments) =>
        editor.prepare(draft, environments),
      );
      return (now) => (checked ? now : prepared(now, form, parts));
    } catch (error) {
      const { message } = toFailure(error);
      const field = error instanceof InvalidFieldError ? error.field : form.field;
      const isOther = checked !== undefined && field !== checked;
      return (now) => (isOther ? now : withForm(now, withProblem(form, message, field)));
    }
  });
}

/**
 * Shows a problem in the form and focuses its field. In JSON, the cursor moves
 * to the reported line and column.
 */
function withProblem(form: Form, problem: string, field: Field): Form {
  const [, line, column] = /not valid JSON: line (\d+), column (\d+)/.exec(problem) ?? [];
  if (line === undefined || field === "for") return { ...form, problem, field };
  const { text } = form.inputs[field];
  // The line numbers don't include leading blank lines, which are trimmed.
  const before = /^\s*/.exec(text)?.[0].split("\n").length ?? 1;
  return {
    ...withInput(form, field, atPosition(text, Number(line) + before - 1, Number(column))),
    problem,
    field,
  };
}

/** Asks to confirm the edit, unless the user has begun to quit meanwhile. */
function prepared(state: State, { before, inputs }: Form, parts: readonly Part[]): State {
  if (!dataOf(state, FORM)) return state;
  if (parts.length === 0) return notify(pop(state), "nothing to change");
  const isChangedMeanwhile =
    before !== undefined && !isDeepStrictEqual(parts[0]?.changes[0]?.before, before);
  const purpose = before ? "edit" : "add";
  return review(state, { purpose, parts, form: { text: inputs.value.text, isChangedMeanwhile } });
}

/**
 * Opens the focused schema, or else the value, in the user's editor. Decrypts a
 * value that was not replaced.
 *
 * @param then called with the form, in which the saved text counts as typed
 */
function inEditor(
  state: State,
  form: Form,
  then: (state: State, edited: Form, field: Field) => State,
): State {
  const field = form.field === "schema" ? "schema" : "value";
  const name = nameOf(form);
  const isJson = field === "schema" || form.inputs.type.text === "JSON";
  const edit: Effect = async (tools) => {
    const text = await fieldText(tools, form, field);
    const shown = isJson ? indentedJson(text) : text;
    const edited = await tools.openInEditor(shown, { name, isJson });
    if (edited === shown) return (now) => notify(now, `${name} is unchanged`);
    const saved = withSaved(form, field, edited);
    return (now) => then(now, saved, field);
  };
  return blockingEffect(state, edit, { isEditing: true });
}

type EditorField = "schema" | "value";

async function fieldText({ places }: Tools, form: Form, field: EditorField): Promise<string> {
  const { before, inputs } = form;
  const present = field === "value" && isValueKept(form) ? before?.value : undefined;
  if (present === undefined) return inputs[field].text;
  return valueText((await places.open(form.place)).decrypt(nameOf(form), present));
}

function withSaved(form: Form, field: EditorField, saved: string): Form {
  // The schema field has one line.
  const lines = saved.split("\n").flatMap((each) => each.trim() || []);
  const text = field === "schema" ? lines.join(" ") : saved;
  const cursor = Math.min(form.inputs[field].cursor, text.length);
  return { ...withInput(form, field, { text, cursor }), previous: form, lastEdit: "editor" };
}

/**
 * Opens the value in the user's editor. The form shows any problem with the
 * saved text.
 */
export function openEditor(state: State, entry: VariableEntry, place: number): State {
  const form = initialForm(state, place, entry);
  return inEditor(state, form, (now, edited) => submit(push(now, FORM, edited), edited));
}
