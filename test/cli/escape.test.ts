import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { escapeControls, escapeField, shellWord } from "../../src/cli/escape.js";

it.each([
  ["a\u001b[2Jb", "a\\x1b[2Jb"],
  ["tab\tnewline\n", "tab\\tnewline\\n"],
  ["\u0000\u007f\u009b", "\\x00\\x7f\\x9b"],
  ["naïve 👋", "naïve 👋"],
])("makes the control characters of %j visible", (text, escaped) => {
  expect(escapeControls(text)).toBe(escaped);
});

it.each(["plain", "a\tb\nc\rd", "back\\slash", "\\n", "\\\\t\t"])(
  "writes %j so that a field can be read back",
  (text) => {
    const field = escapeField(text);
    expect(field).not.toMatch(/[\t\n\r]/);
    const named: Record<string, string> = { t: "\t", n: "\n", r: "\r", "\\": "\\" };
    expect(field.replace(/\\(.)/g, (_match, letter: string) => named[letter] ?? "?")).toBe(text);
  },
);

describe("a word for the shell", () => {
  it("is left as it is where nothing needs quoting", () => {
    expect(shellWord("http://127.0.0.1:7400")).toBe("http://127.0.0.1:7400");
  });

  it.each(["", "it's", "$HOME `id` $(id)", 'a"b', "back\\slash", "new\nline", "-n", "*", "~"])(
    "survives a real shell: %j",
    (text) => {
      const printed = execFileSync("sh", ["-c", `printf '%s|' ${shellWord(text)}`], { encoding: "utf8" });
      expect(printed).toBe(`${text}|`);
    },
  );
});
