import { unitEscapes } from "../../kit/text/printable.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import { isPublic, valueText } from "../../model/variable.js";
import type { ChildVariable } from "./child-environment.js";

const MIN_VALUE = 4;
const MIN_PART = 8;
/** Values that reveal nothing, and that would be replaced everywhere. */
const WORDS = ["true", "false", "null"];

/**
 * Finds the texts that would reveal values in a program's output: each value of 4 characters or
 * more, also in base64; each of its lines, and each string in a JSON value, of 8 characters or more;
 * and all of these as JSON, the quotes of a shell and URLs have them. Public variables have none.
 */
export function redactedTexts(variables: readonly ChildVariable[]) {
  return collectTexts(variables, (value) => [
    ...base64Forms(valueText(value)),
    ...[valueText(value), ...parts(value)].flatMap(forms),
  ]);
}

/** Finds the lines of 4 characters or more in values and in the strings of JSON values. */
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
  const revealing = variables.filter(
    ({ value, rules }) => !isPublic(rules) && !["", ...WORDS].includes(valueText(value)),
  );
  const redacted = revealing.map(({ name, value }) => {
    const isShort = lengthOf(valueText(value)) < MIN_VALUE;
    return { name, texts: isShort ? [] : textsOf(value) };
  });
  return {
    texts: [...new Set(redacted.flatMap(({ texts }) => texts))],
    /** The names of variables whose values are too short to tell from ordinary output. */
    tooShort: redacted.filter(({ texts }) => texts.length === 0).map(({ name }) => name),
  };
}

const LINE_BREAK = /\r\n|\r|\n/;

/** Returns a text, and how other formats write it. */
function forms(text: string): string[] {
  // The environment has U+FFFD instead of half a surrogate pair, and no URL can hold one.
  const held = Buffer.from(text).toString();
  const json = JSON.stringify(held).slice(1, -1);
  return [
    held,
    json,
    json.replace(/[\x7f-\uffff]/g, unitEscapes),
    // In single quotes as bash and dash write them, in the double quotes of bash's `declare -p`, by
    // its `printf %q`.
    held.replaceAll("'", "'\\''"),
    held.replaceAll("'", `'"'"'`),
    held.replace(/["$`\\]/g, "\\$&"),
    held.replace(/[^\w%+,./:=@\u0080-\uffff-]/g, "\\$&"),
    ...[encodeURIComponent(held), new URLSearchParams([["", held]]).toString().slice(1)].flatMap(
      withLowerCaseHex,
    ),
  ];
}

function withLowerCaseHex(encoded: string): string[] {
  return [encoded, encoded.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase())];
}

/** A text in base64, with and without padding. */
function base64Forms(text: string): string[] {
  const base64 = Buffer.from(text).toString("base64");
  return [base64, base64.replace(/={1,2}$/, "")];
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

/** The length in characters: an emoji is one. */
function lengthOf(text: string): number {
  return [...text].length;
}
