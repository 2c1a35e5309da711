import { Command, InvalidArgumentError } from "commander";
import { UsageError } from "../../domain/errors.js";
import { type Context, printLines } from "../output/context.js";
import { dataPlaceName } from "../settings/connection.js";
import { readSettings } from "../settings/resolve-settings.js";
import type { SourceFlags } from "../settings/setting-table.js";
import { addPlaceOptions } from "../settings/source-flags.js";

export function historyCommand(context: Context): Command {
  const command = new Command("history")
    .description(
      "Remove the entries of a store's history but for the last ones, and what interrupted writes left. This only " +
        "deletes, so that it works while etcd is out of space.",
    )
    .requiredOption("--prune <entries>", "how many entries to keep", parseCount)
    .addHelpText("after", "\nExample:\n  appvars history --prune 1000 --store etcd://127.0.0.1:2379/appvars")
    .action(({ prune, ...flags }: SourceFlags & { prune: number }) => runPrune(prune, flags, context));
  return addPlaceOptions(command);
}

function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("it must be a number of entries.");
  return Number(text);
}

async function runPrune(entries: number, flags: SourceFlags, context: Context): Promise<void> {
  const place = readSettings(flags, context.io).dataPlace;
  if (place.kind !== "store") throw new UsageError("only a store has a history: add --store");
  const { pruneStore } = await import("../editing/store-data.js");
  await pruneStore(place, entries, context.io);
  printLines(context, { json: { store: dataPlaceName(place), prune: entries }, lines: [] });
  context.tell(`removed the history of ${dataPlaceName(place)} but for the last ${entries} entries`);
}
