import { describe, expect, it } from "vitest";
import { parseScript, ScriptError } from "./parse-script.js";

describe("a script", () => {
  it("is commands with their expected output, and files", () => {
    const text = [
      "# A comment.",
      "",
      "$ echo a",
      "> echo b",
      "a",
      "",
      "! c",
      "!",
      "[3]",
      "",
      "& serve",
      "^C",
      "-- a.txt --",
      "# no comment",
      "",
      "-- b/c.txt --",
      "",
    ].join("\n");
    const { steps, files } = parseScript(text);
    expect(steps.map(({ kind, command, line }) => [kind, command, line])).toEqual([
      ["run", "echo a\necho b", 3],
      ["start", "serve", 11],
      ["stop", "^C", 12],
    ]);
    expect(steps[0]?.expected.map(({ stream, text }) => [stream, text])).toEqual([
      ["stdout", "a"],
      ["stdout", ""],
      ["stderr", "c"],
      ["stderr", ""],
      ["exit", "3"],
    ]);
    expect([...files]).toEqual([
      ["a.txt", "# no comment\n\n"],
      ["b/c.txt", ""],
    ]);
  });

  it("takes the text after a backslash as it is", () => {
    const [step] = parseScript("$ x\n\\$ y\n\\\\\n\\\n! \\<port>\n").steps;
    expect(step?.expected.map(({ text, literal }) => [text, literal])).toEqual([
      ["$ y", true],
      ["\\", true],
      ["", true],
      ["<port>", true],
    ]);
  });

  it.each([
    ["nothing", "# only this\n", "line 1: there is no command in it"],
    ["output before a command", "a\n$ echo a\n", "line 1: output that belongs to no command"],
    ["output after a comment", "$ echo a\n# x\na\n", "line 3: output that belongs to no command"],
    ["more of a command that is none", "# x\n> y\n", "line 2: output that belongs to no command"],
    ["an empty command", "$ \n", "line 1: there is no command on this line"],
    [
      "stdout after stderr",
      "$ x\n! a\nb\n",
      "line 3: the order is stdout, then stderr, then the exit code",
    ],
    ["stderr after the exit code", "$ x\n[1]\n! a\n", "line 3: the order is"],
    ["two exit codes", "$ x\n[1]\n[2]\n", "line 3: the order is"],
    ["exit code 0", "$ x\n[0]\n", "line 2: an exit code is from 1 to 255"],
    ["exit code 256", "$ x\n[256]\n", "line 2: an exit code is from 1 to 255"],
    ["nothing to stop", "& x\n^C\n^TERM\n", "line 3: there is nothing for ^TERM to stop"],
    ["a file outside", "$ x\n-- ../a --\n", "line 2: ../a is outside the script's folder"],
    ["a file with a full path", "$ x\n-- /a --\n", "line 2: /a is outside the script's folder"],
    ["a file twice", "$ x\n-- a --\nb\n-- a --\n", "line 4: a is there twice"],
  ])("with %s is refused", (_what, text, message) => {
    expect(() => parseScript(text)).toThrow(ScriptError);
    expect(() => parseScript(text)).toThrow(message);
  });
});
