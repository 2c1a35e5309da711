import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type CliOptions, runCli } from "../../../support/cli.js";
import { DATA } from "../../../support/data.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const IS_ROOT = process.getuid?.() === 0;
// Files of root are trusted by everyone, so the tests can keep them.
const NOT_ROOT: CliOptions = IS_ROOT ? { user: 1000, groups: [1000] } : {};

let folder: string;
let path: string;
beforeEach(async () => {
  folder = join(await temporaryFolder(), "folder");
  path = join(folder, "vars.json");
  await mkdir(folder);
  await writeFile(path, JSON.stringify(DATA), { mode: 0o600 });
});
const env = () => ({ APPVARS_DATA: path, APPVARS_ENV: "shop/development" });
const run = (argv: string[], options: CliOptions = {}) =>
  runCli(argv, { ...NOT_ROOT, ...options, env: { ...env(), ...options.env } });

describe.skipIf(process.platform === "win32")("a data file that everybody may write", () => {
  beforeEach(() => chmod(path, 0o666));

  it("a world-writable data file is read by sandbox with a warning", async () => {
    const { code, stderr } = await run(["sandbox", "--data", path, "--env", "test", "--", "true"]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("can be changed by other users")]);
  });
});

describe.skipIf(process.platform === "win32")("a file of --env-file that everybody may write", () => {
  it("is read, with a warning", async () => {
    const file = join(folder, "my.env");
    await writeFile(file, "PORT=1\n");
    await chmod(file, 0o666);
    const { code, stderr } = await run(["run", "--env-file", file, "--", "true"]);
    expect(code).toBe(0);
    expect(stderr).toContain(`appvars: ${file} can be changed by other users: it can be written by everybody`);
  });
});
