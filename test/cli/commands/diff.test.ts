import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCli } from "../../support/cli.js";
import { cliWithDataFile } from "../../support/cli-with-data-file.js";
import { DATA } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const cli = cliWithDataFile();

it("diff finds an environment whose name contains a colon", async () => {
  await cli.run(["env", "add", "shop/a:b"]);
  expect((await cli.run(["diff", "shop/a:b", "test"])).stdout).toBe("added\tDATABASE_URL\n");
});

it("diff marks lines with a sign and a color on a terminal", async () => {
  const { stdout } = await runCli(["diff", "test", "shop/development"], { env: cli.env, terminal: true });
  expect(stdout).toContain("\u001b[32m+ PORT\u001b[39m\n");
  expect(stdout).toContain("\u001b[33m~ DATABASE_URL\u001b[39m\n");
});

it("diff reads the data file of --profile", async () => {
  const { path } = await dataFile(DATA);
  const config = join(await temporaryFolder(), "config");
  await mkdir(config);
  await writeFile(join(config, "profiles.json"), JSON.stringify({ version: 1, profiles: { local: { data: path } } }));
  const { code, stdout } = await runCli(["diff", "shop/development", "test", "--profile", "local"], { config });
  expect(code).toBe(0);
  expect(stdout).toContain("removed\tPORT\n");
});
