// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are what is expanded
import { expect, it } from "vitest";
import { readDotenv, writeDotenv } from "../../src/formats/dotenv.js";
import { describeReferences, expandReferences } from "../../src/formats/dotenv-references.js";
import { entriesOf, NASTY_TEXTS } from "./nasty-values.js";

function expand(text: string): Record<string, unknown> {
  return Object.fromEntries(expandReferences(text, readDotenv(text)).map(({ name, value }) => [name, value]));
}

it.each([
  ["both forms", "A=1\nB=$A-${A}\n", "1-1"],
  ["a name that follows", 'B="x ${A}"\nA=1\n', "x 1"],
  ["references in references", "B=$C\nC=${A}2\nA=1\n", "12"],
  ["what it expands to is not expanded again", "A='$C'\nB=$A\n", "$C"],
  ["the last assignment", "A=1\nB=$A\nA=2\n", "2"],
  ["a default for a missing name", "B=${A:-x}${A-y}\n", "xy"],
  ["a default for an empty value, only with a colon", "A=\nB=[${A:-x}${A-y}]\n", "[x]"],
  ["a default that is not needed", "A=1\nB=${A:-$NONE}\n", "1"],
  ["a default with references", "A=1\nB=${X:-${Y:-$A}/}}\n", "1/}"],
  ["single quotes", "A=1\nB='$A ${A}'\n", "$A ${A}"],
  ["backticks", "A=1\nB=`$A`\n", "$A"],
  ["escaped dollar signs", 'A=1\nB="\\$A \\${A}"\n', "$A ${A}"],
  ["dollar signs without a name", 'B="$5 $ $( $$ }"\n', "$5 $ $( $$ }"],
  ["replacement patterns in a value", "A='$&'\nB=x$A\n", "x$&"],
  ["line breaks of Windows", 'A=1\r\nB="$A\r\n"\r\n', "1\n"],
])("expands %s", (_, text, expected) => {
  const { B: actual } = expand(text);
  expect(actual).toBe(expected);
});

it.each([
  ["B=$A", "B refers to A, which is not in the file; a default is ${A:-text}"],
  ["B=$B", "these refer to each other: B -> B"],
  ["B=${B:-x}", "these refer to each other: B -> B"],
  ["A=$C\nB=$A\nC=$B", "these refer to each other: A -> C -> B -> A"],
  ["A=1\nB=${A:+x}", "B has a ${ that begins neither ${NAME} nor ${NAME:-default}; for a literal one, write \\${"],
  ["A=1\nB=${A", "B has a ${ that begins neither ${NAME} nor ${NAME:-default}; for a literal one, write \\${"],
])("refuses %s", (text, message) => {
  expect(() => expand(text)).toThrow(message);
});

it("growth and depth are limited", () => {
  const laughs = Array.from({ length: 30 }, (_, index) => `L${index + 1}=\${L${index}}\${L${index}}`).join("\n");
  expect(() => expand(`L0=ha\n${laughs}`)).toThrow("the expanded values are longer than 16 MiB together");
  const chain = Array.from({ length: 20_000 }, (_, index) => `C${index}=$C${index + 1}`).join("\n");
  expect(() => expand(`${chain}\nC20000=x`)).toThrow("C0 refers to more than 100 others in a row");
  expect(() => expand(`B=${"${A:-".repeat(20_000)}${"}".repeat(20_000)}`)).toThrow("B has a ${");
});

it("references are described by name and line, except literal and escaped ones", () => {
  const text = '# $X\r\nA=\'\r\n$X\'\r\nexport B=$X\r\n\r\nC="\\$X"\nD=`$X`\nE=$5\nF: ${X:-y}\nB="a\nb$X"';
  expect(describeReferences(text, readDotenv(text))).toBe("B (line 10), F (line 9)");
});

it("expanding changes nothing in what export writes between single quotes", () => {
  const entries = entriesOf(NASTY_TEXTS.filter((text) => !/['\r\0]|\p{Surrogate}/u.test(text)));
  const text = writeDotenv(entries);
  const read = expandReferences(text, readDotenv(text));
  expect(read.map(({ value }) => value)).toEqual(entries.map(({ value }) => value));
});
