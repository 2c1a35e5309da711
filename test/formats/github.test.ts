import { expect, it } from "vitest";
import { writeGithub } from "../../src/formats/lines.js";
import { asText, expectAllRefused, expectSame, refusal, table } from "./consumers.js";
import { entriesOf, hasLoneSurrogate } from "./nasty-values.js";

const { held, refused } = table((text) => !/\0|\r$/.test(text) && !hasLoneSurrogate(text));

/** The rules of the runner's EnvFileKeyValuePairs, on Linux and on Windows. */
function readEnvFile(text: string, windows: boolean): Record<string, string> {
  const variables: Record<string, string> = {};
  let index = 0;
  function readLine(): { line: string; newline: string } | undefined {
    if (index >= text.length) return undefined;
    const from = index;
    const lf = text.indexOf("\n", index);
    if (lf < 0) throw new Error("no newline at the end");
    const newline = windows && text[lf - 1] === "\r" && lf > from ? "\r\n" : "\n";
    index = lf + 1;
    return { line: text.slice(from, index - newline.length), newline };
  }
  for (let head = readLine(); head; head = readLine()) {
    if (head.line === "") continue;
    const [, name = "", delimiter = ""] = /^([^=<]+)<<(.+)$/.exec(head.line) ?? [];
    if (delimiter === "") throw new Error("no heredoc");
    const start = index;
    let end = index;
    for (let next = readLine(); next?.line !== delimiter; next = readLine()) {
      if (!next) throw new Error("matching delimiter not found");
      end = index - next.newline.length;
    }
    if (name in variables) throw new Error("set twice");
    variables[name] = text.slice(start, end);
  }
  return variables;
}

it.each([false, true])("GitHub's runner preserves every value (Windows: %s)", (windows) => {
  expectSame(readEnvFile(writeGithub(held), windows), asText(held));
});

it("writeGithub refuses values that a runner can't hold", () => {
  expectAllRefused(writeGithub, refused, held);
  const names = [
    "GITHUB_TOKEN",
    "Runner_X",
    "node_options",
    "a.b",
    "OK",
    "MY_GITHUB_X",
    "NODE_OPTIONS_2",
  ];
  expect(
    refusal(
      writeGithub,
      names.map((name) => ({ name, type: "STRING", value: "secret" })),
    ),
  ).toBe(
    "these can't be written as github: GITHUB_TOKEN, Runner_X, node_options (reserved by GitHub), a.b (not a shell name)",
  );
});

it("GitHub's delimiter is new each time, and never in a value", () => {
  expect(writeGithub(entriesOf(["x"]))).toMatch(/^V0<<(appvars_[0-9a-f]{32})\nx\n\1\n$/);
  expect(writeGithub(entriesOf(["x"]))).not.toBe(writeGithub(entriesOf(["x"])));
  const draws = ["aa", "bb", "cc"];
  const randomHex = () => draws.shift() ?? "";
  const text = writeGithub(entriesOf(["x\nappvars_aa\nINJECTED=1", "appvars_bb"]), { randomHex });
  expect(text).toBe(
    "V0<<appvars_cc\nx\nappvars_aa\nINJECTED=1\nappvars_cc\nV1<<appvars_cc\nappvars_bb\nappvars_cc\n",
  );
});
