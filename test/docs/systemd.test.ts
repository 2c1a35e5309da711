import { execFile, spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { REPOSITORY } from "./documents.js";

const run = promisify(execFile);
const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
const UNITS = ["appvars.service", "appvars.socket"];
/** The exposure that `systemd-analyze security` finds, times 10. A service that needs the network has at least 10. */
const MAX_EXPOSURE = 12;

function read(unit: string): Promise<string> {
  return readFile(join(REPOSITORY, "docs/systemd", unit), "utf8");
}

/** The paths of copies whose program is one that is there. */
async function installable(): Promise<string[]> {
  const folder = await temporaryFolder();
  const paths = UNITS.map((unit) => join(folder, unit));
  for (const [index, unit] of UNITS.entries()) {
    await writeFile(paths[index] as string, (await read(unit)).replaceAll("/usr/bin/appvars", process.execPath));
  }
  return paths;
}

describe("docs/systemd", () => {
  it("starts serve with flags that it has", async () => {
    const { stdout } = await runCli(["serve", "--help"]);
    const flags = (await read("appvars.service"))
      .match(/(?<= )--[a-z-]+/g)
      ?.filter((flag) => !flag.startsWith("--tls"));
    expect(flags).toContain("--data");
    for (const flag of flags ?? []) expect(stdout).toContain(`${flag} `);
  });

  it.skipIf(!hasSystemd)("has units that systemd accepts", async () => {
    const { stdout, stderr } = await run("systemd-analyze", ["verify", ...(await installable())]);
    expect(stdout + stderr).toBe("");
  });

  it.skipIf(!hasSystemd)("has a service that can do little but listen", async () => {
    const [service = ""] = await installable();
    // Exits with 1 above the threshold.
    await run("systemd-analyze", ["security", "--offline=true", `--threshold=${MAX_EXPOSURE}`, service]);
  });
});
