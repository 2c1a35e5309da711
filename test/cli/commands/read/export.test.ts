import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "../../../support/cli.js";
import { cliWithDataFile } from "../../../support/cli-with-data-file.js";
import { CREDENTIALS } from "../../../support/data.js";
import { stubbedServer } from "../../../support/stubbed-server.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const cli = cliWithDataFile();

it("export --output replaces a file with one that only its owner can read", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "out.env");
  await writeFile(file, "old", { mode: 0o644 });
  expect(await cli.run(["export", "--format", "json", "--output", file])).toEqual({
    code: 0,
    stdout: "",
    stderr: "",
  });
  expect(await readFile(file, "utf8")).toBe((await cli.run(["export", "--format", "json"])).stdout);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["out.env"]);
});

it("export --output refuses a file that its owner made read-only", async () => {
  const file = join(await temporaryFolder(), "out.env");
  await writeFile(file, "old", { mode: 0o444 });
  const { code, stderr } = await cli.run(["export", "--format", "json", "--output", file]);
  const advice = `can't be written: it is read-only; to allow it, run: chmod u+w ${file}`;
  expect([code, stderr, await readFile(file, "utf8")]).toEqual([
    8,
    `appvars: ${file} ${advice}\n`,
    "old",
  ]);
});

it("export --output refuses folders and the data file itself", async () => {
  const folder = await temporaryFolder();
  const { code, stderr } = await cli.run(["export", "--format", "json", "--output", folder]);
  expect([code, stderr]).toEqual([
    8,
    `appvars: ${folder} can't be written: it is not a regular file\n`,
  ]);
  const before = await readFile(cli.path);
  expect(await cli.run(["export", "--format", "json", "--output", cli.path])).toMatchObject({
    code: 2,
  });
  expect(await readFile(cli.path)).toEqual(before);
});

it("export --output leaves a whole file when several run at once", async () => {
  const file = join(await temporaryFolder(), "out.json");
  const runs = Array.from({ length: 8 }, () =>
    cli.run(["export", "--format", "json", "--output", file]),
  );
  expect((await Promise.all(runs)).map(({ code }) => code)).toEqual(Array(8).fill(0));
  expect(await readFile(file, "utf8")).toBe((await cli.run(["export", "--format", "json"])).stdout);
});

it("export --output is not written when the format can't hold a value, unless --skip-unsupported leaves it out", async () => {
  const file = join(await temporaryFolder(), "vars.ps1");
  const argv = ["export", "--format", "powershell", "--only", "PORT,EMPTY", "--output", file];
  const reason = "EMPTY (its value is empty, and PowerShell before 7.5 removes such a variable)";
  expect(await cli.run(argv)).toEqual({
    code: 2,
    stdout: "",
    stderr: `appvars: these can't be written as powershell: ${reason}\n`,
  });
  expect(await cli.run([...argv, "--skip-unsupported"])).toEqual({
    code: 0,
    stdout: "",
    stderr: `appvars: left out variables that powershell can't hold: ${reason}\n`,
  });
  expect(await readFile(file, "utf8")).toBe("$env:PORT = '3000'\n");
});

describe("export --format typescript", () => {
  const VALUE_READ = () => {
    throw new Error("a value was read");
  };

  it("reads definitions preset, of selected variables, and no key", async () => {
    const { url } = await stubbedServer({ reads: { values: VALUE_READ, check: VALUE_READ } });
    const env = { APPVARS_URL: url, ...CREDENTIALS };
    const argv = ["export", "--format", "typescript", "--enc-key-file", "missing.key"];
    const all = await runCli(argv, { env });
    expect(all).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining("\n  UNSET: string;\n"),
    });
    const { stdout } = await runCli([...argv, "--only", "PORT", "--name-transformer", "lower"], {
      env,
    });
    expect(stdout).toContain(
      "export interface Variables {\n  /** Where it listens */\n  port: number;\n}",
    );
  });

  it("does not need values in a project that is strict", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, ".appvars.json"), '{"strict": true}');
    const env = { ...cli.env, APPVARS_ALLOW_PROJECT: "1" };
    expect(await runCli(["export", "--format", "typescript"], { cwd, env })).toMatchObject({
      code: 0,
      stderr: "",
    });
  });
});
