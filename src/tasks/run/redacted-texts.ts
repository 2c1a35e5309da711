import { escapeUnits } from "../../kit/text/printable.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import { isPublic, valueText } from "../../model/variable.js";
import type { ChildVariable } from "./child-environment.js";

const MIN_VALUE = 4;
const MIN_PART = 8;
/** Values that reveal nothing, and would be replaced everywhere. */
const WORDS = ["true", "false", "null"];

/**
 * Finds the strings that would reveal secret values in a program's output:
 * values of 4 characters or more, including in base64; their lines, and strings
 * in JSON values, of 8 characters or more; and all of these in JSON, in the
 * quotes of a shell and in URLs.
 */
export function redactedTexts(variables: readonly ChildVariable[]) {
  return collectTexts(variables, (value) => {
    const base64 = Buffer.from(valueText(value)).toString("base64");
    const unpadded = base64.replace(/={1,2}$/, "");
    return [base64, unpadded, ...[valueText(value), ...parts(value)].flatMap(forms)];
  });
}

/**
 * Finds the lines of 4 characters or more in secret values and in the strings
 * of JSON values.
 */
export function redactedLines(variables: readonly ChildVariable[]) {
  return collectTexts(variables, (value) =>
    [valueText(value), ...parts(value)]
      .flatMap((text) => text.split(LINE_BREAK))
      .map((line) => line.trim())
      .filter((line) => lengthOf(line) >= MIN_VALUE && !WORDS.includes(line)),
  );
}

function collectTexts(
  variables: readonly ChildVariable[],
  textsOf: (value: JsonValue) => string[],
) {
  const all = new Set<string>();
  /** Variables whose values are too short to tell from ordinary output. */
  const tooShort: string[] = [];
  for (const { name, value, rules } of variables) {
    if (isPublic(rules) || ["", ...WORDS].includes(valueText(value))) continue;
    const texts = lengthOf(valueText(value)) < MIN_VALUE ? [] : textsOf(value);
    for (const text of texts) all.add(text);
    if (texts.length === 0) tooShort.push(name);
  }
  return { texts: [...all], tooShort };
}

const LINE_BREAK = /\r\n|\r|\n/;

/** Returns a string as it is, and as other formats write it. */
function forms(text: string): string[] {
  // An environment and URLs have U+FFFD in place of half a surrogate pair.
  const held = Buffer.from(text).toString();
  const json = JSON.stringify(held).slice(1, -1);
  const urls = [encodeURIComponent(held), new URLSearchParams([["", held]]).toString().slice(1)];
  return [
    held,
    json,
    json.replace(/[\x7f-\uffff]/g, escapeUnits),
    // The single quotes of bash and dash, the double quotes of bash's
    // `declare -p`, its `printf %q`.
    held.replaceAll("'", "'\\''"),
    held.replaceAll("'", `'"'"'`),
    held.replace(/["$`\\]/g, "\\$&"),
    held.replace(/[^\w%+,./:=@\u0080-\uffff-]/g, "\\$&"),
    ...urls,
    ...urls.map((url) => url.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase())),
  ];
}

function parts(value: JsonValue): string[] {
  return stringsIn(value)
    .flatMap((text) => [text, ...text.split(LINE_BREAK)])
    .filter((text) => lengthOf(text) >= MIN_PART);
}

function stringsIn(value: JsonValue): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Returns the length in characters: an emoji is one. */
function lengthOf(text: string): number {
  return [...text].length;
}
