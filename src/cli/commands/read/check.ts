import { readAll } from "../../../model/reads/page.js";
import type { Check } from "../../../model/reads/read.js";
import type { Variable } from "../../../model/variable.js";
import { createCheck, openEnvironments, problemsOf } from "../../../tasks/sources/check-source.js";
import { withSource } from "../../../tasks/sources/open-source.js";
import { readImport } from "../../../tasks/transfer/read-import.js";
import { defineCommand } from "../../arguments/command.js";
import { ENVIRONMENTS } from "../../arguments/data-flags.js";
import { SOURCE_FLAGS } from "../../arguments/source-flags.js";
import type { Context } from "../../output/context.js";
import { printTable } from "../../output/output.js";

const FLAGS = {
  "--all": {
    help: "check all environments of the data file or store",
    conflicts: ["env"],
  },
  "--example <file>":
    "compare the names with a dotenv file, such as .env.example: each needs the other's",
  ...SOURCE_FLAGS,
  ...ENVIRONMENTS,
} as const;

export const definition = defineCommand({
  description: `Find missing values that are not optional,
    values that break their schema and, with a key, encrypted
    values that can't be decrypted. --env can be repeated.
    Prints environment, name and problem, but no value. The exit
    code is 1 if there is a problem.`,
  flags: FLAGS,
  examples: ["appvars check --data vars.json --all --example .env.example"],
  async run(_, flags, context) {
    const settings = await context.settings({ ...flags, env: flags.env?.[0] });
    const check = await createCheck(settings);
    const documented =
      flags.example === undefined ? undefined : await readNames(flags.example, context);
    const json: Checked[] = [];
    for (const { environment, source } of await openEnvironments(flags, settings, context))
      await withSource(Promise.resolve(source), async () => {
        const checked = await source.readSnapshot(async (snapshot) => {
          const result = await check(snapshot);
          if (!documented) return result;
          const variables = await readAll((page) => snapshot.listVariables(page));
          return { ...result, ...compareNames(documented, variables) };
        });
        json.push({ environment, ...checked });
      });
    const rows = json.flatMap(rowsOf);
    await printTable(context, {
      json,
      headings: ["ENVIRONMENT", "NAME", "PROBLEM"],
      rows,
      empty: "nothing is missing or invalid",
    });
    if (rows.length > 0) context.exitCode = 1;
  },
});

interface Checked extends Check {
  /** `undefined` for a server, which does not send its name. */
  environment: string | undefined;
  only_in_example?: string[];
  not_in_example?: string[];
}

async function readNames(file: string, context: Context): Promise<Set<string>> {
  const options = { file, format: "dotenv" } as const;
  const { entries } = await readImport(options, context.surroundings, () => {});
  return new Set(entries.map(({ name }) => name));
}

function compareNames(documented: ReadonlySet<string>, variables: readonly Variable[]) {
  const names = new Set(variables.map(({ name }) => name));
  return {
    only_in_example: [...documented].filter((name) => !names.has(name)),
    not_in_example: [...names].filter((name) => !documented.has(name)),
  };
}

function rowsOf({ environment = "", ...checked }: Checked): string[][] {
  const { only_in_example = [], not_in_example = [] } = checked;
  return [
    ...problemsOf(checked).map(({ name, rule }) => [environment, name, rule]),
    ...only_in_example.map((name) => [environment, name, "is only in the example"]),
    ...not_in_example.map((name) => [environment, name, "is not in the example"]),
  ];
}
