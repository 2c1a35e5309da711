import { execFileSync } from "node:child_process";
import { readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "../../../support/cli.js";
import { cliWithDataFile } from "../../../support/cli-with-data-file.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const cli = cliWithDataFile();

describe("export --format github", () => {
  const LINES = /^PORT<<(appvars_[0-9a-f]{32})\n3000\n\1\n$/;

  it("masks the values before it writes, and appends to the file of GITHUB_ENV, whose mode stays", async () => {
    const file = join(await temporaryFolder(), "set_env");
    await writeFile(file, "OLD=1", { mode: 0o644 });
    const seen: string[] = [];
    const { code, stderr } = await runCli(["export", "--format", "github", "--only", "PORT"], {
      env: { ...cli.env, GITHUB_ENV: file },
      onStdout: (text) => seen.push(text, execFileSync("cat", [file], { encoding: "utf8" })),
    });
    expect([code, stderr]).toEqual([0, ""]);
    expect(seen).toEqual(["::add-mask::3000\n", "OLD=1"]);
    const [old, ...lines] = (await readFile(file, "utf8")).split("\n");
    expect(old).toBe("OLD=1");
    expect(lines.join("\n")).toMatch(LINES);
    expect((await stat(file)).mode & 0o777).toBe(0o644);
  });

  it("prints no masks when the file can't be written", async () => {
    const folder = await temporaryFolder();
    const at = (name: string) => join(folder, name);
    execFileSync("mkfifo", [at("pipe")]);
    await symlink("nowhere", at("dangling"));
    for (const [file, reason] of [
      [at("pipe"), "it is not a regular file"],
      [folder, "it is not a regular file"],
      [at("dangling"), "it is a link, and its target is missing"],
    ] as const) {
      cli.env = { ...cli.env, GITHUB_ENV: file };
      expect(await cli.run(["export", "--format", "github"])).toEqual({
        code: 8,
        stdout: "",
        stderr: `appvars: ${file} can't be written: ${reason}\n`,
      });
    }
    expect(await readdir(folder)).toEqual(["dangling", "pipe"]);
  });
});
