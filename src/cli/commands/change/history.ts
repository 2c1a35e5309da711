import { UsageError } from "../../../kit/text/errors.js";
import { readHistory } from "../../../tasks/data/open-data.js";
import { locationName } from "../../../tasks/settings/connection.js";
import type { GivenFlags } from "../../../tasks/settings/setting-table.js";
import { defineCommand } from "../../arguments/command.js";
import { LOCATION_FLAGS } from "../../arguments/data-flags.js";
import { requireValid } from "../../arguments/flag-arguments.js";
import type { Context } from "../../output/context.js";
import { printLines, printTable } from "../../output/output.js";
import { columnsOf } from "../../output/print-changes.js";

export const definition = defineCommand({
  description: `List the changes of a data file or a store,
    newest first: number, time, author, command and what
    changed. Without --values, shows public values only.
    Credentials are not recorded. rollback NUMBER undoes
    changes. APPVARS_ACTOR replaces user@host in new entries.`,
  arguments: { "[name]": "only changes of this variable" },
  flags: {
    "-e, --env <name>": "only changes of this environment: development, or shop/development",
    "--limit <changes>": {
      help: "only the newest changes",
      parse: parseCount,
    },
    "--values": "show the values too; encrypted ones stay encrypted",
    "--prune <entries>": {
      help: "instead, keep only this many entries of a store's history",
      parse: parseCount,
    },
    ...LOCATION_FLAGS,
  },
  examples: ["appvars history DATABASE_URL --env production --data vars.json"],
  async run({ name }, { prune, env, values: showValues = false, limit, ...flags }, context) {
    if (prune !== undefined) {
      if ((name ?? env) === undefined) return runPrune(prune, flags, context);
      throw new UsageError(
        "--prune removes entries of all environments and variables: omit NAME and --env",
      );
    }
    const { listChanges } = await import("../../../store/edits/change-rows.js");
    const json = await readHistory(await context.location(flags), context, (history) =>
      listChanges(history, { name, env, limit, showValues }),
    );
    const all = json.flatMap(({ changes }) => changes);
    const { headings, cells } = columnsOf(all, showValues);
    await printTable(context, {
      json,
      headings: ["ID", "TIME", "WHO", "COMMAND", ...headings],
      rows: json.flatMap(({ id, time, actor, command, changes }) =>
        changes.map((row) => [String(id), time, actor, command, ...cells(row)]),
      ),
      empty: "there are no changes",
    });
  },
});

function parseCount(text: string): number {
  return requireValid(Number(text), /^\d{1,9}$/.test(text), "a number of entries");
}

async function runPrune(entries: number, flags: GivenFlags, context: Context): Promise<void> {
  const location = await context.location(flags);
  if (location.kind !== "etcd")
    throw new UsageError(
      '--prune is for a store: a data file has its limit in "history": {"entries": 1000}',
    );
  const { pruneStore } = await import("../../../tasks/data/etcd-data.js");
  await pruneStore(location, entries, context);
  printLines(context, { json: { store: locationName(location), prune: entries } });
  context.tell(`kept the last ${entries} entries of the history of ${locationName(location)}`);
}
