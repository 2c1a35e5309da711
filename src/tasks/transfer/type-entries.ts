import { JSON_STRING, noteRewritten, type ReadEntry } from "../../formats/entry.js";
import { inferValue, nativeType, parseAs } from "../../formats/infer-type.js";
import { UsageError, withSubject } from "../../kit/text/errors.js";
import type { EnvironmentRecord } from "../../model/environment.js";
import {
  type NamedValue,
  type VariableType,
  valueFitsType,
  valueText,
} from "../../model/variable.js";
import type { Data } from "../../store/data.js";
import type { Imported } from "./read-import.js";

/**
 * Gives each entry the type of the application's variable with its name, or else the type of its
 * value: for a text format, the one that the file gives, or that the text suggests.
 *
 * @param note called with the names of numbers that JavaScript writes differently
 * @throws UsageError that names the first variable whose value is not of its type
 */
export function typeEntries(
  { what, entries, isText }: Imported,
  data: Data,
  { application }: EnvironmentRecord,
  note: (text: string) => void,
): NamedValue[] {
  const defined = new Map(
    data.variables
      .filter((item) => item.application === application)
      .map(({ name, type }) => [name, type]),
  );
  const typed = withSubject(what, () =>
    entries.map((entry) => typeEntry(entry, isText, defined.get(entry.name))),
  );
  const rewritten = typed.filter(
    ({ value }, index) => isText && !isSameText(valueText(value), entries[index]?.value),
  );
  noteRewritten(
    rewritten,
    (text) => note(`${what}: ${text}`),
    "; to keep a text, use the type STRING",
  );
  return typed;
}

/** Blanks between the parts of JSON don't matter. */
function isSameText(text: string, given: unknown): boolean {
  return text.replace(/\s/g, "") === String(given).replace(/\s/g, "");
}

function typeEntry(entry: ReadEntry, isText: boolean, type: VariableType | undefined): NamedValue {
  const { name, value } = entry;
  if (isText) return typeText(entry, type);
  if (type && !valueFitsType(value, type))
    throw new UsageError(`${name} is a ${type}, and its value is not`);
  return { name, type: type ?? nativeType(value), value };
}

/**
 * @param defined the variable's type, which has precedence. Whether JSON is a string, only the file
 *   can say.
 */
function typeText(
  { name, value: given, type: said }: ReadEntry,
  defined: VariableType | undefined,
): NamedValue {
  const text = String(given);
  if (defined === "JSON" && said === "STRING") return { name, type: defined, value: text };
  if (said === JSON_STRING)
    return typeText({ name, value: text, type: "STRING" }, defined ?? "JSON");
  const type = defined ?? said;
  if (!type) return { name, ...inferValue(text) };
  return { name, type, value: withSubject(name, () => parseAs(text, type)) };
}

/** Returns the current values of the imported names. */
export function currentValues(
  data: Data,
  environment: EnvironmentRecord,
  imported: readonly NamedValue[],
): NamedValue[] {
  const names = new Set(imported.map((item) => item.name));
  const variables = new Map(data.variables.map((variable) => [variable.id, variable]));
  return data.values.flatMap(({ environment_id, variable_id, content }) => {
    const variable = variables.get(variable_id);
    if (environment_id !== environment.id || !variable || !names.has(variable.name)) return [];
    return [{ name: variable.name, type: variable.type, value: content.value }];
  });
}
