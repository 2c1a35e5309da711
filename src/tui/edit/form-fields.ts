import { isEncrypted, isPublic, textAs, VARIABLE_TYPES, type VariableType, valueText } from "../../domain/variable.js";
import { whyReadOnly } from "../state/places.js";
import type { Assigned } from "../state/ports.js";
import { groupOf } from "../state/reading.js";
import type { State } from "../state/state.js";
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

export type TextName = "name" | "value" | "description" | "schema";

/** Fields with a few possible contents. */
export const CHOICES = {
  type: VARIABLE_TYPES,
  optional: ["no", "yes"],
  secret: ["yes", "no"],
  for: ["this environment", "all environments of the application"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ChoiceField = keyof typeof CHOICES;
export type Field = TextName | ChoiceField;

/** What a person can change in a form. */
export interface FormInput {
  readonly texts: Readonly<Record<TextName, TextField>>;
  readonly chosen: Readonly<Record<ChoiceField, string>>;
  /** While the field of the value is empty: the value stays, which is none, or encrypted and can't be shown. */
  readonly isValueKept: boolean;
}

export interface Form extends FormInput {
  readonly purpose: "add" | "edit";
  /** Index of the place that is edited. */
  readonly place: number;
  /** Indexes of the environments that may get a new variable, if there are several. */
  readonly all: readonly number[];
  /** Undefined for a new variable. */
  readonly before: Assigned | undefined;
  /** As it was opened. */
  readonly initial: FormInput;
  readonly field: Field;
  readonly problem?: string | undefined;
}

export function isChoice(field: Field): field is ChoiceField {
  return field in CHOICES;
}

/** The fields of a form in their order. */
export function fieldsOf({ all }: Form): readonly Field[] {
  const fields = ["name", "type", "value", "description", "optional", "secret", "schema"] as const;
  return all.length > 1 ? [...fields, "for"] : fields;
}

/** A variable has a value that can't be edited, only replaced: an encrypted one, or none. */
export function isUnseen(before: Assigned | undefined): boolean {
  return before !== undefined && (before.value === undefined || isEncrypted(before.value));
}

/** A form before any input. @param before the variable as it is; undefined for a new one */
export function initialForm(
  state: State,
  purpose: Form["purpose"],
  place: number,
  name: string,
  before: Assigned | undefined,
): Form {
  const isOfSeveral = purpose === "add" && state.places[place]?.kind === "environment";
  const all = isOfSeveral ? groupOf(state).filter((each) => whyReadOnly(state, each) === undefined) : [];
  const initial: FormInput = {
    texts: {
      name: textField(name),
      value: initialValue(before),
      description: textField(before?.description ?? ""),
      schema: textField(before?.schema ? JSON.stringify(before.schema) : ""),
    },
    chosen: {
      type: before?.type ?? "STRING",
      optional: before?.optional ? "yes" : "no",
      secret: isPublic(before) ? "no" : "yes",
      for: CHOICES.for[0],
    },
    isValueKept: isUnseen(before),
  };
  return { purpose, place, before, all, initial, ...initial, field: purpose === "add" ? "name" : "value" };
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

export function withText(form: Form, name: TextName, field: TextField): Form {
  return { ...form, texts: { ...form.texts, [name]: field } };
}

/** The form with another choice. A value that was not edited follows the type. */
function withChoice(form: Form, field: ChoiceField, by: number): Form {
  const next = { ...form, chosen: { ...form.chosen, [field]: cycled<string>(CHOICES[field], form.chosen[field], by) } };
  const [old, now] = [form, next].map(({ before, chosen }) => initialValue(before, chosen.type as VariableType));
  return now && old?.text === form.texts.value.text ? withText(next, "value", now) : next;
}

/** The form after a key that edits the field with the focus; undefined if the key edits nothing there. */
export function editField(form: Form, key: Key): Form | undefined {
  const { field } = form;
  const edited = isChoice(field)
    ? editChoice(form, field, key)
    : field === "value"
      ? editValue(form, key)
      : editOneLine(form, field, key);
  const problem = hasControls(key) ? "control characters in the pasted text were left out" : undefined;
  return edited ? { ...edited, problem } : undefined;
}

function editOneLine(form: Form, field: TextName, key: Key): Form | undefined {
  const edited = editLine(form.texts[field], key);
  return edited === form.texts[field] && key.text === "" ? undefined : withText(form, field, edited);
}

function editChoice(form: Form, field: ChoiceField, key: Key): Form | undefined {
  const name = editKeyName(key);
  const by = name === "left" ? -1 : name === "right" || key.text === " " ? 1 : 0;
  return by === 0 ? undefined : withChoice(form, field, by);
}

/** The form after a key in the field of its value; undefined if the key edits nothing there. */
function editValue(form: Form, key: Key): Form | undefined {
  const { value } = form.texts;
  // With Backspace in the empty field, the value stays as it is after all.
  if (value.text === "" && editKeyName(key) === "backspace") return { ...form, isValueKept: isUnseen(form.before) };
  const edited = editedValue(value, form.chosen.type, key);
  if (edited === value && key.text === "") return undefined;
  return { ...withText(form, "value", edited), isValueKept: form.isValueKept && edited.text === value.text };
}

/** Lines of a step with PgUp and PgDn. */
const PAGE = 10;

/** How far a key moves in a text of several lines. */
const LINES: Readonly<Record<string, number>> = { up: -1, down: 1, pageup: -PAGE, pagedown: PAGE };

/** The same field if the key means nothing in it. */
function editedValue(value: TextField, type: string, key: Key): TextField {
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
