import { execFileSync } from "node:child_process";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cliWithDataFile } from "../../support/cli-with-data-file.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const cli = cliWithDataFile();

it("export --output replaces a file with one that only its owner can read", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "out.env");
  await writeFile(file, "old", { mode: 0o644 });
  expect(await cli.run(["export", "--format", "json", "--output", file])).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await readFile(file, "utf8")).toBe((await cli.run(["export", "--format", "json"])).stdout);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["out.env"]);
});

it("export --output refuses folders, pipes and the data file itself", async () => {
  const folder = await temporaryFolder();
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  for (const output of [folder, pipe]) {
    const { code, stderr } = await cli.run(["export", "--format", "json", "--output", output]);
    expect([code, stderr]).toEqual([8, `appvars: ${output} can't be written: it is not a regular file\n`]);
  }
  expect((await stat(pipe)).isFIFO()).toBe(true);
  const before = await readFile(cli.path);
  expect(await cli.run(["export", "--format", "json", "--output", cli.path])).toMatchObject({ code: 2 });
  expect(await readFile(cli.path)).toEqual(before);
});

it("export --output leaves a whole file when several run at once", async () => {
  const file = join(await temporaryFolder(), "out.json");
  const runs = Array.from({ length: 8 }, () => cli.run(["export", "--format", "json", "--output", file]));
  expect((await Promise.all(runs)).map(({ code }) => code)).toEqual(Array(8).fill(0));
  expect(await readFile(file, "utf8")).toBe((await cli.run(["export", "--format", "json"])).stdout);
});
