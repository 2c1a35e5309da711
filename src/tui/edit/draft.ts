import { isDeepStrictEqual } from "node:util";
import { isEncrypted, textAs, type VariableType, valueText } from "../../domain/variable.js";
import { type TextField, textField } from "../input/text-field.js";
import type { Effect } from "../state/effects.js";
import type { Form } from "../state/modes.js";
import type { Assigned } from "../state/ports.js";

/** A form before any input. @param before the variable as it is; undefined for a new one */
export function initialForm(purpose: Form["purpose"], name: string, before: Assigned | undefined): Form {
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
export function isUnseen(before: Assigned | undefined): boolean {
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
export function withType(form: Form, type: VariableType): Form {
  const isEdited = form.value.text !== initialValue(form.before, form.type).text;
  return { ...form, type, value: isEdited ? form.value : initialValue(form.before, type) };
}

/** Whether something was typed or chosen that would be lost with the form. */
export function isTouched(form: Form): boolean {
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
