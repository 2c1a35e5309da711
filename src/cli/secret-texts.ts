import { type JsonValue, valueText } from "../domain/variable.js";
import type { ChildVariable } from "./child-variables.js";

const SHORTEST_VALUE = 4;
const SHORTEST_PART = 8;
/** They say nothing of a secret, and would be struck out everywhere. */
const WORDS = ["true", "false", "null"];

export interface SecretTexts {
  texts: string[];
  /** Names of the variables whose values are too short to be told from ordinary output. */
  tooShort: string[];
}

/**
 * The texts by which a program's output would show the values: each value of 4 characters or more as it is in the
 * environment, and in base64, each line of 8 or more, each text of 8 or more within a JSON value; and all of these as
 * they are written within JSON, quotes of a shell, and a URL.
 */
export function secretTexts(variables: readonly ChildVariable[]): SecretTexts {
  const telling = variables.filter(({ value }) => !["", ...WORDS].includes(valueText(value)));
  const isShort = ({ value }: ChildVariable) => lengthOf(valueText(value)) < SHORTEST_VALUE;
  const texts = telling
    .filter((variable) => !isShort(variable))
    .flatMap(({ value }) => [...base64Forms(valueText(value)), ...[valueText(value), ...parts(value)].flatMap(forms)]);
  return {
    texts: [...new Set(texts)],
    tooShort: telling.filter(isShort).map(({ name }) => name),
  };
}

/** A text, and how it is written elsewhere; where nothing in it has to be escaped, all are the same. */
function forms(text: string): string[] {
  // The environment has U+FFFD where half a surrogate pair would be, which no URL can hold.
  const held = Buffer.from(text).toString();
  const json = JSON.stringify(held).slice(1, -1);
  return [
    held,
    json,
    json.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
    // Within the single quotes of any shell, as bash and dash write them; within the double quotes of bash's `declare -p`;
    // as bash's `printf %q` has it.
    held.replaceAll("'", "'\\''"),
    held.replaceAll("'", `'"'"'`),
    held.replace(/["$`\\]/g, "\\$&"),
    held.replace(/[^\w%+,./:=@\u0080-\uffff-]/g, "\\$&"),
    ...[encodeURIComponent(held), new URLSearchParams([["", held]]).toString().slice(1)].flatMap(withLowerCaseHex),
  ];
}

function withLowerCaseHex(encoded: string): string[] {
  return [encoded, encoded.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase())];
}

/** With its padding and without. */
function base64Forms(text: string): string[] {
  const base64 = Buffer.from(text).toString("base64");
  return [base64, base64.replace(/=+$/, "")];
}

function parts(value: JsonValue): string[] {
  return stringsIn(value)
    .flatMap((text) => [text, ...text.split(/\r\n|\r|\n/)])
    .filter((text) => lengthOf(text) >= SHORTEST_PART);
}

function stringsIn(value: JsonValue): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** In characters: an emoji is one. */
function lengthOf(text: string): number {
  return [...text].length;
}
