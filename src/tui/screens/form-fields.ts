import type { VariableEntry } from "../../model/reads/variable-entries.js";
import {
  formatAs,
  isPublic,
  isUnreadable,
  VARIABLE_TYPES,
  valueText,
} from "../../model/variable.js";
import type { VariableState } from "../../model/variable-change.js";
import { contentOf } from "../edit/planning.js";
import { groupOf, whyReadOnly } from "../state/places.js";
import type { State } from "../state/state.js";
import { type Key, PASTE } from "../widgets/key.js";
import { cycled } from "../widgets/list.js";
import {
  applyKeyToArea,
  applyKeyToLine,
  hasControls,
  type TextField,
  textField,
} from "../widgets/text-field.js";

export const INPUT_FIELDS = [
  "name",
  "type",
  "value",
  "description",
  "optional",
  "secret",
  "schema",
] as const;
type InputField = (typeof INPUT_FIELDS)[number];
/** `for` chooses the environments of a new variable. */
export type Field = InputField | "for";

const CHOICES: Readonly<Partial<Record<Field, readonly string[]>>> = {
  type: VARIABLE_TYPES,
  optional: ["no", "yes"],
  secret: ["yes", "no"],
};

type Inputs = Readonly<Record<InputField, TextField>>;

export interface Form {
  readonly place: number;
  /** The environments that a new variable can be added to. */
  readonly candidates: readonly number[];
  readonly targets: ReadonlySet<number>;
  readonly placeCursor: number;
  readonly fields: readonly Field[];
  /** `undefined` for a new variable. */
  readonly before: VariableState | undefined;
  readonly initial: Inputs;
  readonly inputs: Inputs;
  readonly field: Field;
  readonly problem?: string | undefined;
  /** The form before the last run of similar edits, such as typed letters. */
  readonly previous?: Form | undefined;
  readonly lastEdit?: string;
}

export function isChoice(field: Field): boolean {
  return field in CHOICES;
}

/**
 * Whether the value field starts empty, since an encrypted or missing value can
 * only be replaced.
 */
export function startsEmpty(before: VariableState | undefined): boolean {
  return before !== undefined && (before.value === undefined || isUnreadable(before.value));
}

/** Whether the user has typed no new value, so that the current one is kept. */
export function isValueKept({ before, initial, inputs }: Form): boolean {
  return startsEmpty(before) && inputs.value === initial.value;
}

/** @param entry `undefined` for a new variable */
export function initialForm(state: State, place: number, entry?: VariableEntry): Form {
  const before = entry && contentOf(entry);
  const allowsSeveral = !entry && state.places[place]?.kind === "environment";
  const candidates = allowsSeveral
    ? groupOf(state).filter((each) => whyReadOnly(state, each) === undefined)
    : [];
  const type = before?.type ?? "STRING";
  const initial: Inputs = {
    name: textField(entry?.variable.name ?? ""),
    type: textField(type),
    value: initialValue(before, type),
    description: textField(before?.description ?? ""),
    optional: textField(before?.optional ? "yes" : "no"),
    secret: textField(isPublic(before) ? "no" : "yes"),
    schema: textField(before?.schema ? JSON.stringify(before.schema) : ""),
  };
  const fields: readonly Field[] = candidates.length > 1 ? [...INPUT_FIELDS, "for"] : INPUT_FIELDS;
  const choice = { candidates, targets: new Set([place]), placeCursor: place };
  return {
    place,
    ...choice,
    fields,
    before,
    initial,
    inputs: initial,
    field: entry ? "value" : "name",
  };
}

/**
 * The value as text, with JSON indented. The cursor is at the start of a string
 * with several lines, otherwise at the end.
 *
 * @param type the chosen type: for STRING, the text is the output of `get`
 */
function initialValue(before: VariableState | undefined, type: string): TextField {
  if (!before || before.value === undefined || isUnreadable(before.value)) return textField("");
  const text = type === "STRING" ? valueText(before.value) : formatAs(before.value, before.type, 2);
  return text.includes("\n") ? { text, cursor: 0 } : textField(text);
}

export function withInput(form: Form, field: InputField, input: TextField): Form {
  return { ...form, inputs: { ...form.inputs, [field]: input } };
}

/** Changes the type, and converts a value that was not edited. */
function withType(form: Form, type: TextField): Form {
  const { before, inputs } = form;
  const next = withInput(form, "type", type);
  const isEdited = inputs.value.text !== initialValue(before, inputs.type.text).text;
  return isEdited || startsEmpty(before)
    ? next
    : withInput(next, "value", initialValue(before, type.text));
}

/**
 * Returns `undefined` if the key edits nothing in the focused field.
 *
 * @param page how many lines PgUp and PgDn move
 */
export function editField(form: Form, key: Key, page: number): Form | undefined {
  const { field, inputs, lastEdit } = form;
  if (field === "for") return editedPlaces(form, key);
  const edited = editedInput(form, field, key, page);
  if (edited === inputs[field] && key.text === "") return undefined;
  const problem = hasControls(key)
    ? "control characters were removed from the pasted text"
    : undefined;
  const next = field === "type" ? withType(form, edited) : withInput(form, field, edited);
  if (edited.text === inputs[field].text) return { ...next, problem };
  const edit = `${field} ${/^[^\s]$/u.test(key.text) ? "letters" : key.name}`;
  const isMore = edit === lastEdit && key.name !== PASTE;
  return { ...next, problem, lastEdit: edit, previous: isMore ? form.previous : form };
}

/** Space toggles an environment, `*` marks all, ← and → move. */
function editedPlaces(form: Form, key: Key): Form | undefined {
  const { candidates, targets, placeCursor } = form;
  const by = sideways(key);
  if (by !== 0) return { ...form, placeCursor: cycled(candidates, placeCursor, by) };
  if (key.text !== " " && key.text !== "*") return undefined;
  const isChosen = (place: number) =>
    key.text === "*" || targets.has(place) !== (place === placeCursor);
  const chosen = new Set(candidates.filter(isChosen));
  return { ...form, targets: chosen, problem: undefined, lastEdit: "for", previous: form };
}

function editedInput(form: Form, field: InputField, key: Key, page: number): TextField {
  const { inputs } = form;
  const choices = CHOICES[field];
  if (choices) return editedChoice(choices, inputs[field], key);
  return field === "value" ? editedValue(form, key, page) : applyKeyToLine(inputs[field], key);
}

function editedChoice(choices: readonly string[], field: TextField, key: Key): TextField {
  const by = key.text === " " ? 1 : sideways(key);
  return by === 0 ? field : textField(cycled(choices, field.text, by));
}

function sideways({ name }: Key): number {
  return name === "left" ? -1 : name === "right" ? 1 : 0;
}

/** Returns the same field if the key does nothing in it. */
function editedValue(
  { inputs: { value, type }, initial, before }: Form,
  key: Key,
  page: number,
): TextField {
  if (type.text === "BOOLEAN" && key.text === " ")
    return textField(value.text === "true" ? "false" : "true");
  // Backspace in the empty field keeps the current value after all.
  if (key.name === "backspace" && value.text === "" && startsEmpty(before)) return initial.value;
  const edited = applyKeyToArea(value, key, page, type.text === "JSON");
  return edited.text === "" && value.text === "" ? value : edited;
}
