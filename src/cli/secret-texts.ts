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
 * environment, each line of 8 or more, each text of 8 or more within a JSON value; and all of these as they are
 * written within JSON.
 */
export function secretTexts(variables: readonly ChildVariable[]): SecretTexts {
  const telling = variables.filter(({ value }) => !["", ...WORDS].includes(valueText(value)));
  const isShort = ({ value }: ChildVariable) => lengthOf(valueText(value)) < SHORTEST_VALUE;
  const texts = telling
    .filter((variable) => !isShort(variable))
    .flatMap(({ value }) => [valueText(value), ...parts(value)]);
  return {
    texts: [...new Set(texts.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]))],
    tooShort: telling.filter(isShort).map(({ name }) => name),
  };
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
