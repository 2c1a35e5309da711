import { expect, it } from "vitest";
import { writeProperties } from "../../src/formats/lines.js";
import { asText, expectSame } from "./consumers.js";
import { ALL_VALUES, entriesOf, hasLoneSurrogate } from "./nasty-values.js";

const all = entriesOf(ALL_VALUES);

/** Properties.load by its Javadoc. */
function load(latin1: Buffer): Record<string, string> {
  const properties: Record<string, string> = {};
  const logical = latin1
    .toString("latin1")
    .matchAll(/^[ \t\f]*([^#!\r\n \t\f](?:\\(?:\r\n|[\s\S])|[^\\\r\n])*)$/gm);
  for (const [, line = ""] of logical) {
    const joined = line.replace(/(\\.)|\\(?:\r\n|\r|\n)[ \t\f]*/g, "$1");
    const [, key = "", value = ""] =
      /^((?:\\.|[^\\=: \t\f])*)[ \t\f]*[=:]?[ \t\f]*([\s\S]*)$/.exec(joined) ?? [];
    properties[decoded(key)] = decoded(value);
  }
  return properties;
}

function decoded(text: string): string {
  const letters: Record<string, string> = { t: "\t", n: "\n", r: "\r", f: "\f" };
  return text.replace(
    /\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g,
    (_, hex: string | undefined, char: string) =>
      hex ? String.fromCharCode(Number.parseInt(hex, 16)) : (letters[char] ?? char),
  );
}

it("the rules of Properties.load preserve every value", () => {
  expectSame(load(Buffer.from(writeProperties(all))), asText(all));
});

it("writeProperties writes only ASCII, with escapes where needed", () => {
  expect(writeProperties(entriesOf(["  two ", "é😀", "a=b:c#d!e", "C:\\x", "\t\n"]))).toBe(
    "V0=\\  two \nV1=\\u00e9\\ud83d\\ude00\nV2=a=b:c#d!e\nV3=C:\\\\x\nV4=\\t\\n\n",
  );
  expect(writeProperties(all)).toMatch(/^[\n -~]*$/);
  expect(ALL_VALUES.some((value) => typeof value === "string" && hasLoneSurrogate(value))).toBe(
    true,
  );
});
