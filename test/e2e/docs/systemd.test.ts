import { execFile, spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../../docs/documents.js";
import { runCli } from "../../support/cli.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const run = promisify(execFile);
const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
/** The settings for a store, in a folder that systemd reads with the service. */
const DROP_IN = "appvars.service.d/store.conf";
const UNITS = ["appvars.service", "appvars.socket", DROP_IN];
/**
 * The exposure that `systemd-analyze security` finds, times 10. A service that needs the network
 * has at least 10.
 */
const MAX_EXPOSURE = 12;

function read(unit: string): Promise<string> {
  return readFile(join(REPOSITORY, "docs/systemd", unit), "utf8");
}

/** The paths of copies with an existing program. */
async function installable(): Promise<string[]> {
  const folder = await temporaryFolder();
  const paths = UNITS.map((unit) => join(folder, unit));
  await mkdir(join(folder, dirname(DROP_IN)));
  for (const [index, unit] of UNITS.entries()) {
    await writeFile(
      paths[index] as string,
      (await read(unit)).replaceAll("/usr/bin/appvars", process.execPath),
    );
  }
  return paths;
}

describe("docs/systemd", () => {
  it.each([
    ["appvars.service", "--data"],
    [DROP_IN, "--max-stale"],
  ])("starts serve with flags that it has: %s", async (unit, flag) => {
    const { stdout } = await runCli(["serve", "--help"]);
    const flags = (await read(unit))
      .match(/(?<= )--[a-z-]+/g)
      ?.filter((each) => !each.startsWith("--tls"));
    expect(flags).toContain(flag);
    for (const each of flags ?? []) expect(stdout).toContain(`${each} `);
  });

  it.skipIf(!hasSystemd)("has units that systemd accepts", async () => {
    const { stdout, stderr } = await run("systemd-analyze", [
      "verify",
      ...(await installable()).slice(0, 2),
    ]);
    expect(stdout + stderr).toBe("");
  });

  it.skipIf(!hasSystemd)("has a service that can do little but listen", async () => {
    const [service = ""] = await installable();
    // Exits with 1 above the threshold.
    await run("systemd-analyze", [
      "security",
      "--offline=true",
      `--threshold=${MAX_EXPOSURE}`,
      service,
    ]);
  });
});
