// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are variables of PowerShell
import { expect, it } from "vitest";
import { writePowershell } from "../../src/formats/lines.js";
import { asText, expectAllRefused, expectSame, table } from "./consumers.js";
import { entriesOf, hasLoneSurrogate } from "./nasty-values.js";

const { held, refused } = table(
  (text) => text !== "" && !text.includes("\0") && !hasLoneSurrogate(text),
);

const ESCAPES: Record<string, string> = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/**
 * One assignment: `$env:NAME` or `${env:NAME}`, then a literal or an expandable string. Each kind
 * of quote has curly variants, and two in a row stand for the second.
 */
const ASSIGNMENT =
  /\$(?:\{env:([^{}`]+)\}|env:(\w+)) = (?:'((?:[^'\u2018-\u201b]|['\u2018-\u201b]{2})*)'|"((?:[^"\u201c-\u201e`$]|`.|\$\(\[char\]\d+\))*)")\n/sy;

/**
 * Assignments by the rules of PowerShell's tokenizer, as far as they are the same in 5.1 and 7
 * (PowerShell/PowerShell, engine/parser/tokenizer.cs: ScanStringLiteral, ScanStringExpandable,
 * Backtick; CharTraits.cs for the quotes).
 */
function readScript(text: string): Record<string, string> {
  const variables: Record<string, string> = {};
  ASSIGNMENT.lastIndex = 0;
  while (ASSIGNMENT.lastIndex < text.length) {
    const [all, braced, plain = "", literal, expandable = ""] = ASSIGNMENT.exec(text) ?? [];
    if (all === undefined) throw new Error("something else than an assignment");
    variables[braced ?? plain] =
      literal?.replace(/['\u2018-\u201b](.)/g, "$1") ??
      expandable.replace(/`(.)|\$\(\[char\](\d+)\)/gs, (_, escaped, code) =>
        escaped === undefined ? String.fromCharCode(code) : (ESCAPES[escaped] ?? escaped),
      );
  }
  return variables;
}

it("PowerShell's rules preserve every value", () => {
  expectSame(readScript(writePowershell(held)), asText(held));
});

it("each variable is one line of ASCII, which no code page and no reading line by line changes", () => {
  const text = writePowershell(held);
  expect(text).toMatch(/^[ -~\n]*$/);
  expect(text.split("\n")).toHaveLength(held.length + 1);
});

it("curly quotes, which PowerShell takes for straight ones, can't end a string", () => {
  expect(writePowershell(entriesOf(["it's", "a\u2019; evil; \u2018b", "\u201d"]))).toBe(
    "$env:V0 = 'it''s'\n" +
      '$env:V1 = "a$([char]8217); evil; $([char]8216)b"\n' +
      '$env:V2 = "$([char]8221)"\n',
  );
});

it("values that a variable of Windows can't hold are refused", () => {
  expectAllRefused(writePowershell, refused, held);
  expect(writePowershell([{ name: "a.b", type: "STRING", value: "x" }])).toBe("${env:a.b} = 'x'\n");
});
