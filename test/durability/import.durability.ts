import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { grouped, QUICK } from "../support/measuring.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { figure, since } from "./figure.js";

const COUNT = QUICK ? 20_000 : 100_000;
const names = Array.from({ length: COUNT }, (_, index) => `VARIABLE_${index}`);

it.each([
  ["vars.env", names.map((name) => `${name}="it's a value"\n`).join("")],
  ["vars.json", JSON.stringify(Object.fromEntries(names.map((name) => [name, "it's a value"])))],
  ["vars.yaml", names.map((name) => `${name}: it's a value\n`).join("")],
])("many variables are imported from %s", async (name, text) => {
  const file = join(await temporaryFolder(), name);
  await writeFile(file, text);
  const { path } = await dataFile(DATA);
  const env = { APPVARS_DATA: path, APPVARS_ENV: "test" };
  const start = performance.now();
  const { code, stderr } = await runCli(["import", file, "--no-color"], { env, terminal: true });
  figure(`import of ${grouped(COUNT)} variables from ${name}: ${since(start)}`);
  expect(code).toBe(0);
  expect(stderr).toBe(`appvars: imported: ${COUNT} added, 0 changed, 0 unchanged\n`);
  const { stdout } = await runCli(["get", "VARIABLE_0", `VARIABLE_${COUNT - 1}`], { env });
  expect(stdout).toBe("it's a value\nit's a value\n");
});
