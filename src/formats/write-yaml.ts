import { Document, type Scalar, type ScalarTag, visit } from "yaml";
import type { Entry } from "./entry.js";
import { inAnyString, loneSurrogate, refuse } from "./refuse.js";

/** `1e+21` is a string to YAML 1.1, which wants a point in every float. */
const EXPONENT: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  identify: (value) => typeof value === "number" && /^-?\de/.test(String(value)),
  test: /^(?!)/,
  resolve: Number,
  stringify: ({ value }) => String(value).replace("e", ".0e"),
};

/** What YAML 1.1 doesn't take as printable, or breaks a line at. JSON's escapes leave it as it is. */
const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

/**
 * One YAML mapping of names and values, for YAML 1.2 readers, and for the YAML 1.1 readers that most languages still
 * have: strings are always in double quotes, and so are keys that either version would not read as a string.
 */
export function writeYaml(entries: readonly Entry[]): string {
  refuse("yaml", entries, inAnyString(loneSurrogate));
  const document = new Document(new Map(entries.map(({ name, value }) => [name, value])), {
    compat: "yaml-1.1",
    customTags: (tags) => [EXPONENT, ...tags],
    aliasDuplicateObjects: false,
  });
  visit(document, { Pair: (_, { key }) => quoteUnlessWord(key as Scalar) });
  const text = document.toString({
    lineWidth: 0,
    defaultStringType: "QUOTE_DOUBLE",
    defaultKeyType: "PLAIN",
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  });
  // Only what is between double quotes can hold these characters.
  return text.replace(UNPRINTABLE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function quoteUnlessWord(key: Scalar): void {
  if (!/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(String(key.value))) key.type = "QUOTE_DOUBLE";
}
