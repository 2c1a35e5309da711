import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { explainTooLarge, findProgram } from "../../../src/cli/processes/start-failure.js";
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

it("names the variable that is over Linux's limit for one", () => {
  expect(explainTooLarge(["app"], { ...env, CERT: "x".repeat(131_072) }, "linux")).toBe(
    "app can't be started: the variable CERT has 131078 bytes; Linux limits each variable and argument to 131072 bytes",
  );
});

it("blames an argument that is over Linux's limit, without its text", () => {
  expect(explainTooLarge(["app", "x".repeat(131_072)], env, "linux")).toBe(
    "app can't be started: one of its arguments is too long; Linux limits each variable and argument to 131072 bytes",
  );
});

it.each(["linux", "darwin"] as const)("names the largest variable when all together are too long on %s", (platform) => {
  const rest = platform === "linux" ? {} : { CERT: "x".repeat(131_072) };
  const [name, size, total] = platform === "linux" ? ["KEY", 100_005, 100_026] : ["CERT", 131_078, 231_104];
  expect(explainTooLarge(["app", "-v"], { ...env, ...rest }, platform)).toBe(
    `app can't be started: its environment (${total} bytes) and arguments (7 bytes) are too long together; ` +
      `the largest variable is ${name} with ${size} bytes`,
  );
});
