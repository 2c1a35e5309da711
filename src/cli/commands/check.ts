import { UsageError } from "../../kit/text/errors.js";
import { shortestName } from "../../model/environment.js";
import type { Check } from "../../model/read.js";
import { readAll } from "../../model/source.js";
import type { Variable } from "../../model/variable.js";
import { readSettings, type Settings } from "../../tasks/settings/resolve-settings.js";
import { SOURCE_SETTINGS } from "../../tasks/settings/setting-table.js";
import { createCheck, problemsOf } from "../../tasks/sources/check-source.js";
import { openSource, withSource } from "../../tasks/sources/open-source.js";
import { readImport } from "../../tasks/transfer/read-import.js";
import { defineCommand, type FlagValues } from "../arguments/command.js";
import { ENVIRONMENTS } from "../arguments/data-flags.js";
import { SOURCE_FLAGS } from "../arguments/source-flags.js";
import { type Context, printTable } from "../output/context.js";

const FLAGS = {
  "--all": { help: "check all environments of the data file or store", conflicts: ["env"] },
  "--example <file>":
    "compare the names with a dotenv file, such as .env.example: each needs the other's",
  ...SOURCE_FLAGS,
  ...ENVIRONMENTS,
} as const;

type CheckFlags = FlagValues<typeof FLAGS>;

export const definition = defineCommand({
  description: `Find variables without a value that are not optional, values that
    break their schema and, with a key, encrypted values that can't be
    decrypted. --env can be repeated. Prints a line for each problem, and no
    value: environment, name and problem. The exit code is 1 if there is one.`,
  flags: FLAGS,
  examples: ["appvars check --data vars.json --all --example .env.example"],
  async run(_, flags, context) {
    const settings = readSettings({ ...flags, env: flags.env?.[0] }, context);
    const check = await createCheck(settings);
    const documented =
      flags.example === undefined ? undefined : await readNames(flags.example, context);
    const checked: Checked[] = [];
    for (const { environment, source } of await sourcesOf(flags, settings, context))
      await withSource(Promise.resolve(source), async () => {
        const result = await source.readSnapshot(async (snapshot) => {
          const found = await check(snapshot);
          const variables = documented ? await readAll((page) => snapshot.listVariables(page)) : [];
          return { ...found, ...(documented && compareNames(documented, variables)) };
        });
        checked.push({ environment, ...result });
      });
    const rows = checked.flatMap((each) =>
      rowsOf(each).map((row) => [each.environment ?? "", ...row]),
    );
    const headings = ["ENVIRONMENT", "NAME", "PROBLEM"];
    await printTable(context, {
      json: checked,
      headings,
      rows,
      empty: "nothing is missing or invalid",
    });
    if (rows.length > 0) context.exitCode = 1;
  },
});

interface Checked extends Check {
  /** Undefined for a server, which does not tell. */
  environment: string | undefined;
  /**
   * The names that only the file of `--example` has, and those that only the environment has.
   */
  only_in_example?: string[];
  not_in_example?: string[];
}

/** @throws UsageError for several environments of a server; as `openSource` */
async function sourcesOf({ env = [], all }: CheckFlags, settings: Settings, context: Context) {
  const isRemote = ["url", undefined].includes(settings.find(...SOURCE_SETTINGS)?.name);
  if (isRemote && all)
    throw new UsageError("--all is for a data file or a store: a server shows one environment");
  if (isRemote) return [{ environment: undefined, source: await openSource(settings, context) }];
  const { chooseEnvironment, readData } = await import("../../tasks/data/open-data.js");
  const { EnvironmentView } = await import("../../service/environment-view.js");
  const data = await readData(settings.dataPlace, context);
  const names = () => (env.length > 0 ? env : [settings.find("env")?.text]);
  const chosen = all
    ? data.environments
    : names().map((name) => chooseEnvironment(data.environments, name));
  return chosen.map((environment) => ({
    environment: shortestName(environment, data.environments),
    source: new EnvironmentView(data, environment),
  }));
}

async function readNames(file: string, context: Context): Promise<Set<string>> {
  const { entries } = await readImport({ file, format: "dotenv" }, context.surroundings, () => {});
  return new Set(entries.map(({ name }) => name));
}

function compareNames(documented: ReadonlySet<string>, variables: readonly Variable[]) {
  const names = variables.map(({ name }) => name);
  const known = new Set(names);
  return {
    only_in_example: [...documented].filter((name) => !known.has(name)),
    not_in_example: names.filter((name) => !documented.has(name)),
  };
}

/** Name and problem. */
function rowsOf({ only_in_example = [], not_in_example = [], ...check }: Checked): string[][] {
  return [
    ...problemsOf(check).map(({ name, rule }) => [name, rule]),
    ...only_in_example.map((name) => [name, "is only in the example"]),
    ...not_in_example.map((name) => [name, "is not in the example"]),
  ];
}
