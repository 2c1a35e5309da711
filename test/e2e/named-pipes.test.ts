import { execFileSync } from "node:child_process";
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { AppendFile } from "../../src/kit/files/append-file.js";
import { serve } from "../../src/library/local-server.js";
import { openDataFile } from "../../src/store/file/json-file-store.js";
import { findPlaces } from "../../src/tui/adapters/find-places.js";
import { aCaller } from "../support/caller.js";
import { runCli, runWith } from "../support/cli.js";
import { cliWithDataFile } from "../support/cli-with-data-file.js";
import { CREDENTIALS, DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { runningServer } from "../support/running-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** A pipe without a writer: opening it as a file would wait for ever. */
async function namedPipe(name = "pipe"): Promise<string> {
  const path = join(await temporaryFolder(), name);
  execFileSync("mkfifo", [path]);
  return path;
}

describe.skipIf(process.platform === "win32")("a named pipe", () => {
  const cli = cliWithDataFile();

  it("is no data file, and does not stop a store that follows one", async () => {
    const { path, write } = await dataFile(DATA);
    const store = await openDataFile(path, { watch: true });
    onTestFinished(() => store.close());
    await rename(await namedPipe(), path);
    await expect.poll(() => store.problem).toContain("it is not a regular file");
    await write(DATA);
    await expect.poll(() => store.problem).toBeUndefined();
    const pipe = await namedPipe();
    const { code, stderr } = await runCli(["get", "PORT", "--data", pipe, "--env", "shop/test"]);
    expect([code, stderr]).toEqual([8, expect.stringContaining("it is not a regular file")]);
  });

  it.each(["json", "github"])("is not written by export --format %s", async (format) => {
    const pipe = await namedPipe();
    expect(await cli.run(["export", "--format", format, "--output", pipe])).toEqual({
      code: 8,
      stdout: "",
      stderr: `appvars: ${pipe} can't be written: it is not a regular file\n`,
    });
    expect((await stat(pipe)).isFIFO()).toBe(true);
  });

  it("is not imported in the TUI, where waiting for it could not be stopped", async () => {
    const pipe = await namedPipe("pipe.env");
    const { code: found } = await runWith(
      (io) => findPlaces({ data: cli.path }, aCaller(io.surroundings)),
      {},
    );
    onTestFinished(() => found.close());
    const place = await found.places[0]?.open(() => {});
    const refused = place?.editor?.importFile({ path: pipe, format: undefined });
    await expect(refused).rejects.toThrow("can't be read: it is not a regular file");
  });

  it("is not opened as an audit log", async () => {
    const pipe = await namedPipe();
    const file = new AppendFile(pipe, { user: undefined, groups: [] });
    expect(() => file.open()).toThrow(`${pipe} can't be opened: it is not a regular file`);
  });

  it("is no .appvars.json", async () => {
    const { url } = await runningServer();
    const cwd = await temporaryFolder();
    await rename(await namedPipe(), join(cwd, ".appvars.json"));
    const { code, stdout, stderr } = await runCli(["get", "PORT"], {
      cwd,
      env: { ...CREDENTIALS, APPVARS_URL: url },
    });
    expect([code, stdout]).toEqual([0, "3000\n"]);
    expect(stderr).toMatch("it is not a regular file");
  });

  it.each([
    ["env_file", ["run", "--", "true"]],
    ["ca_file", ["get", "PORT"]],
  ])("is not waited for as the %s of a project", async (key, words) => {
    const cwd = await temporaryFolder();
    const pipe = await namedPipe();
    const place =
      key === "ca_file" ? { url: "https://127.0.0.1:1" } : { data: cli.path, env: "shop/test" };
    await writeFile(join(cwd, ".appvars.json"), JSON.stringify({ ...place, [key]: pipe }));
    const env = { ...CREDENTIALS, APPVARS_ALLOW_PROJECT: "1" };
    const { code, stderr } = await runCli(words, { cwd, env });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`${pipe} can't be read: it is not a regular file`),
    ]);
  });

  it("is not waited for as the key beside a data file", async () => {
    const { path } = await dataFile(DATA);
    execFileSync("mkfifo", [`${path}.key`]);
    const { code, stderr } = await runCli(["list", "--data", path, "--env", "shop/test"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(".key can't be read: it is not a regular file"),
    ]);
    await expect(serve({ data: path, port: 0 })).rejects.toThrow(
      ".key can't be read: it is not a regular file",
    );
  });

  it("is read as a file that a flag names", async () => {
    const pipe = await namedPipe();
    const written = writeFile(pipe, "PORT=1\n");
    const { code } = await runCli(["import", pipe, "--data", cli.path, "--env", "shop/test"]);
    await written;
    expect(code).toBe(0);
  });

  it("is not deleted by allow among the files that it has written", async () => {
    const [cwd, config] = [await temporaryFolder(), await temporaryFolder()];
    await writeFile(join(cwd, ".appvars.json"), JSON.stringify({ timeout: 5 }));
    const allowed = join(config, "allowed");
    await mkdir(allowed, { mode: 0o700 });
    const pipe = join(allowed, "d".repeat(64));
    await rename(await namedPipe(), pipe);
    expect(await runCli(["allow"], { cwd, config })).toMatchObject({ code: 0, stderr: "" });
    expect((await stat(pipe)).isFIFO()).toBe(true);
  });

  it("is not waited for as a kept answer", async () => {
    const { url, close } = await runningServer();
    const cache = await temporaryFolder();
    const get = () =>
      runCli(["get", "PORT", "--cache", "--max-wait", "0"], {
        cache,
        env: { ...CREDENTIALS, APPVARS_URL: url },
      });
    expect((await get()).code).toBe(0);
    await close();
    const files = execFileSync("find", [cache, "-type", "f"], { encoding: "utf8" })
      .trim()
      .split("\n");
    for (const file of files) {
      await rm(file);
      execFileSync("mkfifo", [file]);
    }
    expect(await get()).toMatchObject({ code: 5, stdout: "" });
  });
});
