import { ChangedDataError } from "../../domain/errors.js";
import type { VariableReader } from "../../domain/read.js";
import { checkType, readAll } from "../../domain/source.js";
import type { Variable, VariableValue } from "../../domain/variable.js";
import { missingNamesError, orUndefined } from "./get-values.js";

/** A definition, and its value record if it has one in this environment. */
export interface NamedRecord {
  variable: Variable;
  value: VariableValue | undefined;
}

/** @throws NotFoundError, with a suggestion, if no variable has that name */
export async function readRecord(name: string, reader: VariableReader): Promise<NamedRecord> {
  const value = await orUndefined(reader.getValueByName(name));
  if (value) {
    const variable = await orUndefined(reader.getVariable(value.variable_id));
    if (!variable) throw new ChangedDataError(`the server has no variable for the value of ${name}`);
    if (variable.name !== name) throw new ChangedDataError(`the server sends another variable's value for ${name}`);
    checkType(variable, value);
    return { variable, value };
  }
  // A definition without a value here can only be found in the list.
  const variable = (await readAll((page) => reader.listVariables(page))).find((item) => item.name === name);
  if (!variable) throw await missingNamesError([name], reader);
  return { variable, value: undefined };
}

/** What `show` and `explain` print of a record; `shownValue` is left out if it has no value. */
export function recordFields({ variable, value }: NamedRecord, shownValue: string): [label: string, text: string][] {
  const fields: [label: string, text: string][] = [
    ["name", variable.name],
    ["type", variable.type],
    ["description", variable.description],
    ["variable id", String(variable.id)],
    ["value id", value ? String(value.id) : "(no value in this environment)"],
  ];
  return value ? [...fields, ["value", shownValue]] : fields;
}

/** Shown in place of a value that was not asked for. */
export const HIDDEN_VALUE = "(hidden: --values shows it)";
