import type { NamedValue } from "../domain/diff.js";
import type { EnvironmentRecord } from "../domain/environment.js";
import { UsageError } from "../domain/errors.js";
import { type JsonValue, type VariableType, valueFitsType } from "../domain/variable.js";
import type { ReadEntry } from "../formats/entry.js";
import { inferValue, nativeType, parseAs } from "../formats/infer-type.js";
import type { Data } from "../store/data.js";

/**
 * Gives what was read its type: the one that the application's variable of that name has, else that of the value
 * itself, which for a text format is inferred.
 *
 * @param isText whether the values are the texts of a format that knows no types
 * @throws UsageError that names the first variable whose value is not of its type
 */
export function typeEntries(
  entries: readonly ReadEntry[],
  isText: boolean,
  data: Data,
  { application }: EnvironmentRecord,
): NamedValue[] {
  const known = new Map(
    data.variables.filter((item) => item.application === application).map(({ name, type }) => [name, type]),
  );
  return entries.map(({ name, value }) => {
    const type = known.get(name);
    if (isText)
      return { name, ...(type ? { type, value: parseNamed(name, String(value), type) } : inferValue(String(value))) };
    if (type && !valueFitsType(value, type)) throw new UsageError(`${name} is a ${type}, and its value is not`);
    return { name, type: type ?? nativeType(value), value };
  });
}

function parseNamed(name: string, text: string, type: VariableType): JsonValue {
  try {
    return parseAs(text, type);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${name}: ${error.message}`) : error;
  }
}
