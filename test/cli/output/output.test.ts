import { describe, expect, it } from "vitest";
import { colorsFor } from "../../../src/cli/output/colors.js";
import type { Output } from "../../../src/cli/output/output.js";
import { escapeField, escapeJson, writeRows } from "../../../src/cli/output/output.js";
import { shellWord } from "../../../src/kit/text/shell.js";

it.each([
  "plain",
  "a\tb\nc\rd",
  "back\\slash",
  "\\n",
  "\\\\t\t",
  "\\x1b \u001b",
  "\\u{202e} \u202e",
  "\u{e0041}\u009b",
])("writes %j so that a field can be read back", (text) => {
  const field = escapeField(text);
  expect(field).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(field.replace(/\\(?:u\{(\w+)\}|x(\w\w)|(.))/g, readEscape)).toBe(text);
});

function readEscape(
  _match: string,
  long: string | undefined,
  short: string | undefined,
  letter: string,
): string {
  const hex = long ?? short;
  if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
  return { t: "\t", n: "\n", r: "\r", "\\": "\\" }[letter] ?? "?";
}

it("writes a large table in pieces, so that its text is never in memory as a whole", () => {
  const pieces: string[] = [];
  const stream = { write: (text: string) => pieces.push(text) } as unknown as Output;
  const rows = Array.from({ length: 5_000 }, (_, index) => [`${index}`, undefined, "end"]);
  writeRows(stream, rows);
  expect(pieces.join("")).toBe(rows.map(([index]) => `${index}\t\tend\n`).join(""));
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(30_000);
});

describe("a word for the shell", () => {
  it("is left as it is where nothing needs quoting", () => {
    expect(shellWord("http://127.0.0.1:7400")).toBe("http://127.0.0.1:7400");
  });
});

describe("JSON", () => {
  it.each(["plain", "\u009b\u202e\u200b\u2028\u{e0041}", "tab\t and \\u", "⚠️ 👨‍👩‍👧"])(
    "of %j is the same data",
    (text) => {
      const json = escapeJson(JSON.stringify({ [text]: [text] }));
      expect(JSON.parse(json)).toEqual({ [text]: [text] });
    },
  );

  it("has the escapes of JSON, two for a character above U+FFFF", () => {
    expect(escapeJson('"\u009b\u202e\u{e0041}"')).toBe('"\\u009b\\u202e\\udb40\\udc41"');
  });
});

const terminal = { isTTY: true, getColorDepth: () => 24 } as unknown as Output;
const pipe = {} as Output;

it.each([
  ["a terminal", terminal, {}, true, true],
  ["a pipe", pipe, {}, true, false],
  ["NO_COLOR on a terminal", terminal, { NO_COLOR: "1" }, true, false],
  ["an empty NO_COLOR", terminal, { NO_COLOR: "" }, true, true],
  ["FORCE_COLOR on a pipe", pipe, { FORCE_COLOR: "1" }, true, true],
  ["FORCE_COLOR=0 on a terminal", terminal, { FORCE_COLOR: "0" }, true, false],
  ["FORCE_COLOR over NO_COLOR", pipe, { FORCE_COLOR: "3", NO_COLOR: "1" }, true, true],
  ["--no-color over FORCE_COLOR", terminal, { FORCE_COLOR: "3" }, false, false],
  [
    "a terminal without colors",
    { ...terminal, getColorDepth: () => 1 } as unknown as Output,
    {},
    true,
    false,
  ],
])("decides on colors for %s", async (_what, stream, env, allowed, colored) => {
  const { red } = await colorsFor(stream, env, allowed);
  expect(red("x") !== "x").toBe(colored);
});
