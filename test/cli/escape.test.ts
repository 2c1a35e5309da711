import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { escapeField, shellWord } from "../../src/cli/escape.js";

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
