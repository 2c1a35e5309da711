import { parse } from "dotenv";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/domain/errors.js";
import { NAME_RULE, valueText } from "../../src/domain/variable.js";
import { readDotenv, writeDotenv } from "../../src/formats/dotenv.js";
import { readAssignments } from "../../src/formats/dotenv-dialects.js";
import type { ReadEntry } from "../../src/formats/entry.js";
import { Random } from "../support/random.js";
import { asText, expectSame, refusal, refusedNames } from "./consumers.js";
import { ALL_VALUES, entriesOf, randomTexts } from "./nasty-values.js";

const all = entriesOf(ALL_VALUES);

function writable(text: string): boolean {
  try {
    writeDotenv(entriesOf([text]));
    return true;
  } catch {
    return false;
  }
}

const held = all.filter(({ value }) => writable(valueText(value)));
const refused = all.filter((entry) => !held.includes(entry));

const textsOf = (entries: readonly ReadEntry[]) => entries.map(({ name, value }) => ({ name, value }));

describe("writing", () => {
  it("dotenv parses every value to itself, alone and in one file with all the others", () => {
    for (const entry of held) expect(parse(writeDotenv([entry]))[entry.name], entry.name).toBe(valueText(entry.value));
    expectSame(parse(writeDotenv(held)), asText(held));
  });

  it("dotenv's fast parser agrees", () => {
    expectSame(parse(writeDotenv(held), { fast: true }), asText(held));
  });

  it("the order of dotenv lines makes no difference", () => {
    const reversed = held.toReversed();
    expectSame(parse(writeDotenv(reversed)), asText(reversed));
  });

  it("writeDotenv lists everything that it refuses in one error", () => {
    const message = refusal(writeDotenv, all);
    expect(refusedNames(message)).toEqual(new Set(refused.map(({ name }) => name)));
    expect(refusal(writeDotenv, entriesOf(["a\0", "\r'\"`", "\ud800"]))).toBe(
      "these can't be written as dotenv: V0 (its value contains a NUL), V1 (no quotes that all its readers " +
        "understand: see --for), V2 (its value contains half a surrogate pair, which UTF-8 can't hold)",
    );
  });

  it("__proto__ is refused, as dotenv drops it; other odd names are kept", () => {
    const named = (...names: string[]) => names.map((name) => ({ name, type: "STRING" as const, value: "x" }));
    expect(refusal(writeDotenv, named("__proto__"))).toContain("__proto__ (dotenv drops this name)");
    const names = ["a.b", "a-b", "constructor", "toString", "_"];
    expect(Object.keys(parse(writeDotenv(named(...names))))).toEqual(names);
  });

  it("dotenv quoting is the simplest that all readers read alike", () => {
    const texts = ["", "a-b_c/d:1", "two words", "$HOME `x`", "it's", "a\nb", "C:\\dir", "{}"];
    expect(writeDotenv(entriesOf(texts))).toBe(
      [
        "# appvars type: V7 STRING",
        "V0=",
        "V1=a-b_c/d:1",
        "V2='two words'",
        "V3='$HOME `x`'",
        `V4="it's"`,
        "V5='a\nb'",
        "V6='C:\\dir'",
        "V7='{}'",
        "",
      ].join("\n"),
    );
  });

  it.each([`it's "x"`, "it's $5", "a\rb", "C:\\", "\\\\host", ["$", "{HOME}"].join("")])(
    "%j has no form for all readers",
    (text) => {
      expect(writable(text)).toBe(false);
    },
  );
});

describe("reading", () => {
  it("returns the written values, as text", () => {
    expect(textsOf(readDotenv(writeDotenv(held)))).toEqual(
      held.map(({ name, value }) => ({ name, value: valueText(value) })),
    );
  });

  it("reads types only from comments at the top, because those below may be part of a value", () => {
    const spoof = "\n# appvars type: ZIP JSON\n";
    const text = `\ufeff\r\n# mine\r\n# appvars type: ZIP STRING\r\n${writeDotenv(entriesOf([spoof]))}ZIP=01234\n`;
    expect(readDotenv(text)).toEqual([
      { name: "V0", value: spoof },
      { name: "ZIP", value: "01234", type: "STRING" },
    ]);
  });

  it.each(["ZIP TEXT", "ZIP", "JSON string", "", "ZIP  STRING"])("refuses a comment with another type: %s", (said) => {
    expect(() => readDotenv(`# one\n# appvars type: ${said}\nZIP=1`)).toThrow(
      new UsageError("line 2 must be # appvars type: NAME TYPE"),
    );
  });

  it("refuses a type comment after the first assignment", () => {
    const text = "A=1\n# appvars type: B STRING\nB=5\n";
    expect(() => readDotenv(text)).toThrow(
      new UsageError('line 2: "# appvars type:" must come before the first assignment'),
    );
  });

  it("reads handwritten files: comments, export, blanks, CRLF, a byte order mark", () => {
    const text =
      "\ufeff# comment\r\nexport A=1 # one\r\n\r\n  B = two words  \r\nC='#3'\r\nD=\"x\\ny\"\r\nE=\r\nF: 6\r\n";
    expect(readDotenv(text)).toEqual(
      Object.entries({ A: "1", B: "two words", C: "#3", D: "x\ny", E: "", F: "6" }).map(([name, value]) => ({
        name,
        value,
      })),
    );
  });

  it("reads any text as dotenv does, but refuses what dotenv drops", () => {
    const parts = ["A", "B_1", "a.b-c", "=", ":", " ", "\n", "\n\n", "\r\n", "\r", "'", '"', "`", "\\", "#", "x"];
    const all = ["export ", "\t", "\\n", "\ufeff", "\\'", '\\"', "\u00a0", ...parts];
    const random = new Random(1);
    for (let round = 0; round < 20_000; round++) {
      const text = Array.from({ length: 1 + random.below(14) }, () => random.pick(all)).join("");
      const read = readAssignments(text).assignments.map(({ name, value }) => [name, value]);
      expect(Object.fromEntries(read), JSON.stringify(text)).toEqual(parse(text));
    }
  });

  it("reads a text in linear time", () => {
    const blank = "\n".repeat(300_000);
    expect(readDotenv(`${blank}A=1${blank}\n# end`)).toEqual([{ name: "A", value: "1" }]);
    const lines = Array.from({ length: 50_000 }, (_, index) => `# appvars type: line ${index}`).join("\n");
    expect(readDotenv(`A='${lines}'`)).toEqual([{ name: "A", value: lines }]);
  });

  it("names a line that dotenv drops, even if its text is also in a value", () => {
    const text = "A='one\nB C=1\ntwo'\nB C=1\n";
    expect(() => readDotenv(text)).toThrow(new UsageError("neither an assignment nor a comment: line 4"));
  });

  it("the last of two lines for one name counts", () => {
    expect(readDotenv("A=1\nB=2\nA=3\n")).toEqual([
      { name: "A", value: "3" },
      { name: "B", value: "2" },
    ]);
  });

  it("refuses __proto__, which dotenv drops, but not the text in a value or comment", () => {
    for (const text of ["__proto__=x", "A=1\nexport __proto__ = 'x'", "__proto__=1\n__proto_a=2"]) {
      expect(() => readDotenv(text)).toThrow("these can't be read from dotenv: __proto__ (dotenv drops this name)");
    }
    expect(readDotenv("A='\n__proto__=x'\n# __proto__=y\nB=__proto__")).toEqual([
      { name: "A", value: "\n__proto__=x" },
      { name: "B", value: "__proto__" },
    ]);
  });

  it("refuses names that no variable can have, all at once, and not the values", () => {
    const long = "L".repeat(300);
    expect(() => readDotenv(`1A=secret\nOK=1\n.b=secret\n${long}=secret`)).toThrow(
      new UsageError(`these can't be variable names: "1A", ".b", "${"L".repeat(80)}…"; a name is ${NAME_RULE}`),
    );
  });
});

it("random values go through a file and back, beside any others", () => {
  for (let seed = 100; seed < 130; seed++) {
    const entries = entriesOf(randomTexts(100, seed).filter(writable));
    expect(textsOf(readDotenv(writeDotenv(entries))), `seed ${seed}`).toEqual(
      entries.map(({ name, value }) => ({ name, value })),
    );
  }
});
