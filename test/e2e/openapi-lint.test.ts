import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { type Finished, run } from "../support/binary.js";
import { runCli } from "../support/cli.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const REDOCLY = fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js"));

interface Report {
  totals: { ignored: number };
  problems: { ruleId: string }[];
}

/** The rules that the linter finds broken, with the configuration in redocly.yaml. */
async function lint(...texts: string[]): Promise<string[]> {
  const folder = await temporaryFolder();
  const paths = texts.map((_text, index) => join(folder, `${index}.yaml`));
  for (const [index, path] of paths.entries()) await writeFile(path, texts[index] ?? "");
  const { stdout } = await redocly(
    "lint",
    "--config",
    "redocly.yaml",
    "--format",
    "json",
    ...paths,
  );
  // One JSON text for each file, without a separator.
  const reports: Report[] = JSON.parse(`[${stdout.replaceAll(/^\}\s*\{/gm, "},{")}]`);
  expect(reports.map(({ totals }) => totals.ignored)).toEqual(texts.map(() => 0));
  return reports.flatMap(({ problems }) => problems.map(({ ruleId }) => ruleId));
}

it("the document passes the linter's strict rules as JSON and as YAML", async () => {
  const [json, yaml] = await Promise.all(
    ["json", "yaml"].map((format) => runCli(["openapi", "--format", format])),
  );
  expect(await lint(json?.stdout ?? "", yaml?.stdout ?? "")).toEqual([]);
});

it("the linter finds an unknown field, a missing server and an undeclared path parameter", async () => {
  const document = JSON.parse((await runCli(["openapi"])).stdout);
  const changes = [{ summery: "" }, { servers: [] }, { paths: { "/{x}": { get: {} } } }];
  const found = await lint(...changes.map((change) => JSON.stringify({ ...document, ...change })));
  expect(found).toEqual(
    expect.arrayContaining(["struct", "no-empty-servers", "path-parameters-defined"]),
  );
});

/** Runs Redocly's command line, without telemetry and with an empty home. */
async function redocly(...args: string[]): Promise<Finished> {
  return run(process.execPath, [REDOCLY, ...args], {
    HOME: await temporaryFolder(),
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  });
}
