import { UsageError } from "../kit/text/errors.js";
import { exactNumber, JsonError, type JsonValue, parseJson } from "../kit/text/strict-json.js";
import { isUnreadable, type VariableType, valueFitsType } from "../model/variable.js";

/**
 * Type and value of a text, for a new variable:
 *
 * - `true` and `false` are BOOLEAN;
 * - a number as JavaScript writes it is NUMBER, unlike `007`, `1.0`, `1e3`, `+1` and whole numbers past 2^53, which are
 *   often codes and keys;
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

/** The type of a value from a format with types, such as JSON or YAML. */
export function nativeType(value: JsonValue): VariableType {
  if (typeof value === "string") return "STRING";
  if (typeof value === "number") return "NUMBER";
  return typeof value === "boolean" ? "BOOLEAN" : "JSON";
}

/**
 * The value that `text` stands for in a variable of `type`. An encrypted value fits every type and
 * stays as it is.
 *
 * @throws UsageError with the rule of the type, which never quotes the text
 */
export function parseAs(text: string, type: VariableType): JsonValue {
  if (type === "STRING" || isUnreadable(text)) return text;
  if (type === "JSON") return parseExactJson(text);
  if (type === "BOOLEAN") {
    if (text !== "true" && text !== "false") throw new UsageError("a BOOLEAN is true or false");
    return text === "true";
  }
  const number = exactNumber(text);
  if (number === undefined)
    throw new UsageError(
      "a NUMBER must be a JSON number in the range and precision of a double; for any other text, use the type STRING",
    );
  return number;
}

/** Parses a value that a user gives. @throws UsageError with line and column */
export function parseExactJson(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw error instanceof JsonError ? new UsageError(`not valid JSON: ${error.message}`) : error;
  }
}
