import { UsageError, withSubject } from "../kit/text/errors.js";
import type { JsonValue } from "../kit/text/strict-json.js";
import {
  type NamedValue,
  parseAs,
  parseExactJson,
  VARIABLE_TYPES,
  type VariableType,
  valueFitsType,
} from "../model/variable.js";
import { type ImportedVariable, JSON_STRING } from "./reader.js";

/**
 * Infers the type and value of a string, for a new variable:
 *
 * - `true` and `false` are BOOLEAN;
 * - a number in JavaScript's own form is a NUMBER, unlike `007`, `1.0`, `1e3`,
 *   `+1` and whole numbers past 2^53, which are often codes and keys;
 * - JSON that starts with `{` or `[` is JSON;
 * - everything else is STRING: the empty text, `null`, `True`, `yes`.
 */
export function inferValue(text: string): { type: VariableType; value: JsonValue } {
  if (text === "true" || text === "false") return { type: "BOOLEAN", value: text === "true" };
  const number = Number(text);
  // NaN and infinities fail the comparison.
  if (String(number) === text && Math.abs(number) <= Number.MAX_SAFE_INTEGER)
    return { type: "NUMBER", value: number };
  if (/^[{[]/.test(text)) {
    try {
      const value = parseExactJson(text);
      if (valueFitsType(value, "JSON")) return { type: "JSON", value };
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
    }
  }
  return { type: "STRING", value: text };
}

/** Returns the type of a value from a format with types, such as JSON or YAML. */
export function nativeType(value: JsonValue): VariableType {
  return VARIABLE_TYPES.find((type) => type.toLowerCase() === typeof value) ?? "JSON";
}

/**
 * Gives an entry its type.
 *
 * @param defined the variable's type, which has precedence
 */
export function typeEntry(
  { name, value, type: said }: ImportedVariable,
  isText: boolean,
  defined: VariableType | undefined,
): NamedValue {
  if (!isText && defined && !valueFitsType(value, defined))
    throw new UsageError(`the value of ${name} is not a valid ${defined}`);
  if (!isText) return { name, type: defined ?? nativeType(value), value };
  const text = String(value);
  const type = defined ?? (said === JSON_STRING ? "JSON" : said);
  if (!type) return { name, ...inferValue(text) };
  // Only the file can say whether JSON is a string.
  const isString = type === "JSON" && (said === "STRING" || said === JSON_STRING);
  return { name, type, value: isString ? text : withSubject(name, () => parseAs(text, type)) };
}
