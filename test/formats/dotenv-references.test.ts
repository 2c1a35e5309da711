// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tests expand them
import { expect, it } from "vitest";
import { readDotenv, writeDotenv } from "../../src/formats/dotenv.js";
import { portableForm } from "../../src/formats/dotenv-writers.js";
import { UsageError } from "../../src/kit/text/errors.js";
import { entriesOf, NASTY_TEXTS } from "./nasty-values.js";

const MALFORMED =
  "has a ${ that begins none of ${NAME}, ${NAME:-default} and ${NAME-default}; for a literal one, write \\${";

const takenLiterally = (names: string) =>
  `$NAME and \${NAME} are taken literally in ${names}; import --expand replaces them`;

function notesOf(text: string): string[] {
  const notes: string[] = [];
  readDotenv(text, { note: (note) => notes.push(note) });
  return notes;
}

function expand(text: string): Record<string, unknown> {
  return Object.fromEntries(
    readDotenv(text, { expand: true }).map(({ name, value }) => [name, value]),
  );
}

it.each([
  ["both forms", "A=1\nB=$A-${A}\n", "1-1"],
  ["references in references", "A=1\nC=${A}2\nB=$C\n", "12"],
  ["an expanded value is not expanded again", "A='$C'\nB=$A\n", "$C"],
  ["the assignment before it", "A=1\nB=$A\nA=2\n", "1"],
  ["a default for a missing name", "B=${A:-x}${A-y}\n", "xy"],
  ["a default for an empty value, only with a colon", "A=\nB=[${A:-x}${A-y}]\n", "[x]"],
  ["a default that is not needed", "A=1\nB=${A:-$NONE}\n", "1"],
  ["a default with references", "A=1\nB=${X:-${Y:-$A}/}}\n", "1/}"],
  ["a reference to itself with a default", "B=${B:-3000}\n", "3000"],
  ["a reference to itself in defaults, with a dash alone", "A=${A-1}\nB=${B-${B:-x}$A}\n", "x1"],
  ["single quotes", "A=1\nB='$A ${A}'\n", "$A ${A}"],
  ["backticks", "A=1\nB=`$A`\n", "$A"],
  ["escaped dollar signs", 'A=1\nB="\\$A \\${A}"\n', "$A ${A}"],
  ["dollar signs without a name", 'B="$5 $ $( $$ }"\n', "$5 $ $( $$ }"],
  ["replacement patterns in a value", "A='$&'\nB=x$A\n", "x$&"],
  [
    "after a byte order mark, export and line breaks of Windows",
    '\ufeffexport A=1\r\nexport B="$A\r\n${A}"\r\n',
    "1\n1",
  ],
])("expands %s", (_, text, expected) => {
  const { B: actual } = expand(text);
  expect(actual).toBe(expected);
});

it.each([
  ["A=1\nB=${A:+x}", `B (line 2) ${MALFORMED}`],
  ["A=1\nB=${A", `B (line 2) ${MALFORMED}`],
  ["A=1\nB=${A:-${}}", `B (line 2) ${MALFORMED}`],
])("refuses %s", (text, message) => {
  expect(() => expand(text)).toThrow(new UsageError(message));
});

it.each([
  "pa$Sup3rS",
  "pa${Sup3rS}",
  "pa${Sup3rS",
  "pa${Sup3rS:+x}",
  "pa${Sup3rS:-$Sup3rS}",
  "pa${Sup3rS!}",
  "${Sup3rS-${Sup3rS}}",
])("a password is not quoted in the message about %s", (password) => {
  expect(() => expand(`A=1\n\nPASSWORD="${password}"`)).toThrow(
    /^PASSWORD \(line 3\) (?!.*Sup3rS)/,
  );
});

it.each(["B=$A", "B=$B", "B=${B}:x", "B=$A\nA=1"])(
  "%s: a name that is not set needs a default or an escaped dollar sign",
  (text) => {
    expect(() => expand(text)).toThrow(
      "B (line 1) refers to a name that no line before it sets; to give it a default, write ${NAME:-text}; to keep a dollar " +
        "sign, write \\$ or use single quotes",
    );
  },
);

it("the length of all values together and the depth of defaults are limited", () => {
  const laughs = Array.from(
    { length: 30 },
    (_, index) => `L${index + 1}=\${L${index}}\${L${index}}`,
  ).join("\n");
  expect(() => expand(`L0=ha\n${laughs}`)).toThrow(
    "the expanded values are longer than 16 MiB together",
  );
  const nested = (depth: number) => `B=${"${A:-".repeat(depth)}x${"}".repeat(depth)}`;
  expect(expand(nested(100))).toEqual({ B: "x" });
  expect(() => expand(nested(20_000))).toThrow(
    "B (line 1) nests defaults more than 100 levels deep",
  );
});

it("a value may consist of a million references", () => {
  const text = `A=\nB=${"${A}".repeat(1_000_000)}`;
  expect(notesOf(text)).toEqual([takenLiterally("B (line 2)")]);
  expect(expand(text)).toEqual({ A: "", B: "" });
});

it("references are described by name and line, except literal and escaped ones", () => {
  const text =
    '# $X\r\nA=\'\r\n$X\'\r\nexport B=$X\r\n\r\nC="\\$X"\nD=`$X`\nE=$5\nF: ${X:-y}\nB="a\nb$X"';
  expect(notesOf(text)[0]).toBe(takenLiterally("B (line 10), F (line 9)"));
  const many = Array.from({ length: 12 }, (_, index) => `V${index}=$X\n`).join("");
  expect(notesOf(many)[0]).toMatch(/, V9 \(line 10\) and 2 more;/);
});

it("expanding changes nothing in export's output between single quotes", () => {
  const entries = entriesOf(
    NASTY_TEXTS.filter(
      (text) => !/['\r\0]|\p{Surrogate}/u.test(text) && portableForm(text) !== undefined,
    ),
  );
  const text = writeDotenv(entries);
  const read = readDotenv(text, { expand: true });
  expect(read.map(({ value }) => value)).toEqual(entries.map(({ value }) => value));
});
