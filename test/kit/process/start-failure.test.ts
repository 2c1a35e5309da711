import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { explainTooLarge, findProgram } from "../../../src/kit/process/start-failure.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

/** Folders with a file `tool` of this content each; undefined for a folder without it. */
async function folders(...contents: (string | undefined)[]): Promise<string[]> {
  const parent = await temporaryFolder();
  return Promise.all(
    contents.map(async (content, index) => {
      const folder = join(parent, String(index));
      await mkdir(folder);
      if (content !== undefined) await writeFile(join(folder, "tool"), content, { mode: 0o755 });
      return folder;
    }),
  );
}

it("a program is looked up in the folders of PATH in order, past those that do not have it", async () => {
  const path = await folders(undefined, "#!/bin/sh\n", "#!/bin/sh\n");
  const found = { file: join(path[1] ?? "", "tool") };
  expect(findProgram("tool", ["/no/such/folder", ...path].join(":"))).toEqual(found);
});

it("a program that is found but not executable is denied, not missing", async () => {
  const [denied = "", empty = ""] = await folders("#!/bin/sh\n", undefined);
  await chmod(join(denied, "tool"), 0o644);
  expect(findProgram("tool", `${denied}:${empty}`)).toEqual({ code: "EACCES" });
  expect(findProgram("tool", empty)).toEqual({ code: "ENOENT" });
});

it("a path is not looked up in PATH, and an empty folder in PATH is the current one", () => {
  expect(findProgram("./package.json", "/bin")).toEqual({ code: "EACCES" });
  expect(findProgram("package.json", "/no/such/folder:")).toEqual({ code: "EACCES" });
  expect(findProgram("./sh", "/bin")).toEqual({ code: "ENOENT" });
});

const env = { SMALL: "x", KEY: "é".repeat(50_000), OTHER: "secret" };

it.each([
  [
    "variable",
    ["-v"],
    { CERT: "x".repeat(131_072) },
    "(231111 bytes); the longest is the variable CERT with 131078 bytes",
  ],
  [
    "argument",
    ["x".repeat(131_072)],
    {},
    "(231103 bytes); the longest is an argument with 131073 bytes",
  ],
  [
    "variable of many",
    ["-v"],
    {},
    "(100033 bytes); the longest is the variable KEY with 100005 bytes",
  ],
])(
  "names the longest %s when the system refuses them, without its text",
  (_what, words, more, problem) => {
    expect(explainTooLarge(["app", ...words], { ...env, ...more })).toBe(
      `app can't be started: its arguments and environment are too long ${problem}, and Linux limits each to 131072`,
    );
  },
);
