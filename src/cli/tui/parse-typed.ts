import { UsageError } from "../../domain/errors.js";
import type { JsonValue, VariableType } from "../../domain/variable.js";
import { parseAs } from "../../formats/infer-type.js";

/**
 * The value of a text that a person typed or pasted.
 *
 * @throws UsageError with the problem, which never quotes the text
 */
export function parseTyped(text: string, type: VariableType): JsonValue {
  if (type === "STRING") return text;
  if (text === "") throw new UsageError(`type a ${type}; only a STRING can be empty`);
  try {
    return parseAs(text, type);
  } catch (error) {
    throw error instanceof UsageError && type === "NUMBER" ? new UsageError(whyNoNumber(text)) : error;
  }
}

function whyNoNumber(text: string): string {
  if (/\s/.test(text)) return "a NUMBER has no spaces or line breaks in it";
  if (text.includes(",")) return "a NUMBER has a point for decimals, and no thousands separators";
  if (/^[+-]?0\d/.test(text) || text.startsWith("+")) return "a NUMBER starts with no + and no 0 before other digits";
  if (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) {
    return "a NUMBER has the range and precision of a double, which this exceeds; use the type STRING";
  }
  return "a NUMBER consists of digits, as in 3000, -1.5 and 1e6; use the type STRING for any other text";
}
