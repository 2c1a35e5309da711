import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { redocly } from "./redocly.js";

/** What the linter finds, by redocly.yaml. */
async function lint(text: string): Promise<string[]> {
  const path = join(await temporaryFolder(), "openapi.yaml");
  await writeFile(path, text);
  const { stdout } = await redocly("lint", "--config", "redocly.yaml", "--format", "json", path);
  const report: { totals: { ignored: number }; problems: { ruleId: string }[] } = JSON.parse(stdout);
  expect(report.totals.ignored).toBe(0);
  return report.problems.map(({ ruleId }) => ruleId);
}

it.each(["json", "yaml"])("the document as %s passes the linter's strict rules", async (format) => {
  const { stdout } = await runCli(["openapi", "--format", format]);
  expect(await lint(stdout)).toEqual([]);
});

it.each([
  ["a field that OpenAPI does not have", { summery: "" }, "struct"],
  ["no server", { servers: [] }, "no-empty-servers"],
  ["a path without its parameter", { paths: { "/{x}": { get: {} } } }, "path-parameters-defined"],
])("the linter would find %s", async (_what, change, rule) => {
  const { stdout } = await runCli(["openapi"]);
  expect(await lint(JSON.stringify({ ...JSON.parse(stdout), ...change }))).toContain(rule);
});
