import { NotFoundError } from "../domain/errors.js";
import { readAll, type VariableSource } from "../domain/source.js";
import type { Variable, VariableValue } from "../domain/variable.js";
import { missingNamesError } from "./missing-names.js";

/** A definition, and its value record where it has one in this environment. */
export interface NamedRecord {
  variable: Variable;
  value: VariableValue | undefined;
}

/** @throws NotFoundError, with a suggestion, when no variable has that name */
export async function readRecord(name: string, source: VariableSource): Promise<NamedRecord> {
  const value = await source.getValueByName(name).catch((error: unknown) => {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  });
  if (value) return { variable: await source.getVariable(value.variable_id), value };
  // A definition without a value here can only be found in the list.
  const variable = (await readAll((page) => source.listVariables(page))).find((item) => item.name === name);
  if (!variable) throw await missingNamesError([name], source);
  return { variable, value: undefined };
}

/** What `show` and `explain` tell of a record; `shownValue` is not told where there is none. */
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

/** In the place of a value that was not asked for. */
export const HIDDEN_VALUE = "(hidden: --values shows it)";
