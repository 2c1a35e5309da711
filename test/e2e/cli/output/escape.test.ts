import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { shellWord } from "../../../../src/kit/text/shell.js";

describe("a word for the shell", () => {
  it.each(["", "it's", "$HOME `id` $(id)", 'a"b', "back\\slash", "new\nline", "-n", "*", "~"])(
    "survives a real shell: %j",
    (text) => {
      const printed = execFileSync("sh", ["-c", `printf '%s|' ${shellWord(text)}`], {
        encoding: "utf8",
      });
      expect(printed).toBe(`${text}|`);
    },
  );
});
