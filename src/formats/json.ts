import jsonc from "jsonc-parser";
import { UsageError } from "../domain/errors.js";
import type { JsonValue, NamedValue } from "../domain/variable.js";
import { entriesOf, type ReadEntry, refuse } from "./entry.js";

/** Writes one JSON object. JSON can hold half a surrogate pair as an escape (RFC 8259 section 8.2). */
export function writeJson(entries: readonly NamedValue[]): string {
  refuse("json", entries);
  // Unlike assignment, fromEntries treats `__proto__` like any other key.
  const object = Object.fromEntries(entries.map(({ name, value }) => [name, value]));
  return `${JSON.stringify(object, null, 2)}\n`;
}

/** Reads one JSON object. Ignores a byte order mark, which Windows programs write. */
export function readJson(text: string): ReadEntry[] {
  const object = parseJson(text.replace(/^\ufeff/, ""));
  if (typeof object === "object" && object !== null && !Array.isArray(object)) return entriesOf(object);
  throw new UsageError("must be one JSON object of names and values");
}

/**
 * `JSON.parse` that refuses what it would silently lose: the first of two equal keys, and digits of a number.
 *
 * @throws UsageError with line and column, which never quotes the text
 */
export function parseJson(text: string): JsonValue {
  let value: JsonValue | undefined;
  let syntaxError = false;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    // Its message quotes the text.
    syntaxError = true;
  }
  const problem = findProblem(text) ?? (syntaxError ? "not valid JSON" : undefined);
  if (problem !== undefined) throw new UsageError(problem);
  return value as JsonValue;
}

function findProblem(text: string): string | undefined {
  let first: string | undefined;
  const report = (problem: string, line: number, column: number) => {
    first ??= `${problem} at line ${line + 1}, column ${column + 1}`;
  };
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
            report("a number that can't be held exactly (write it as a string),", line, column);
          }
        },
        onError: (_code, _offset, _length, line, column) => report("not valid JSON,", line, column),
      },
      { disallowComments: true, allowTrailingComma: false },
    );
  } catch {
    // Deeply nested brackets exhaust its stack.
    return "nested too deeply";
  }
  return first;
}

/** RFC 8259, section 6. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * The number that `text` stands for in JSON; undefined when it is not a number, is out of range, or has digits that a
 * JavaScript number loses: 9007199254740993 would become …992, and 0.12345678901234567890 would lose its end.
 */
export function exactNumber(text: string): number | undefined {
  if (!JSON_NUMBER.test(text)) return undefined;
  const number = Number(text);
  if (!Number.isFinite(number)) return undefined;
  const isSame = /^-?\d+$/.test(text) ? isExact(BigInt(text), number) : keepsDigits(text, number);
  return isSame ? number : undefined;
}

/** Whether JavaScript writes a number with the digits of the text that it was read from. */
export function keepsDigits(text: string, number: number): boolean {
  return decimalOf(text) === decimalOf(String(number));
}

/** The same text for all ways to write a decimal number in JSON or YAML: `15e-1` for `1.50` and `+.15e1`. */
function decimalOf(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)\+?(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/**
 * Whether a number stands for these digits: by its value, or by how JavaScript writes it, so that what it wrote can be
 * read back: 2 ** 60 is written as 1152921504606847000, though it is …846976.
 */
export function isExact(digits: bigint, number: number): boolean {
  return BigInt(number) === digits || String(number) === String(digits);
}
