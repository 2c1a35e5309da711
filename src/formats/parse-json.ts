import jsonc from "jsonc-parser";
import { UsageError } from "../domain/errors.js";
import type { JsonValue } from "../domain/variable.js";
import { exactNumber } from "./exact-number.js";

/**
 * `JSON.parse` that refuses what it would lose in silence: the first of two equal keys, and digits of a number.
 *
 * @throws UsageError with line and column, which never quotes the text
 */
export function parseJson(text: string): JsonValue {
  let value: JsonValue | undefined;
  let syntaxError = false;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    // Its message quotes the text around the error.
    syntaxError = true;
  }
  const problem = findProblem(text, syntaxError);
  if (problem !== undefined) throw new UsageError(problem);
  return value as JsonValue;
}

function findProblem(text: string, syntaxError: boolean): string | undefined {
  const problems: string[] = [];
  const report = (problem: string, line: number, column: number) =>
    problems.push(`${problem} at line ${line + 1}, column ${column + 1}`);
  const openObjects: Set<string>[] = [];
  try {
    jsonc.visit(
      text,
      {
        onObjectBegin: () => void openObjects.push(new Set()),
        onObjectEnd: () => void openObjects.pop(),
        onObjectProperty: (key, _offset, _length, line, column) => {
          const keys = openObjects.at(-1);
          if (keys?.has(key)) report("the same key twice in one object,", line, column);
          keys?.add(key);
        },
        onLiteralValue: (value, offset, length, line, column) => {
          if (typeof value === "number" && exactNumber(text.slice(offset, offset + length)) === undefined) {
            report("a number that can't be held exactly,", line, column);
          }
        },
        onError: (_code, _offset, _length, line, column) => report("not valid JSON,", line, column),
      },
      { disallowComments: true, allowTrailingComma: false },
    );
  } catch {
    // It recurses, so brackets nested deeply enough exhaust the stack.
    return "nested too deeply";
  }
  return problems[0] ?? (syntaxError ? "not valid JSON" : undefined);
}
