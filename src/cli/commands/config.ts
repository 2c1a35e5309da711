import { Command } from "commander";
import type { Context } from "../output/context.js";
import { printTable } from "../output/printer.js";
import { addSourceOptions } from "../settings/flags.js";
import { type InspectedSetting, type Inspection, inspectFlags, settingJson } from "../settings/inspect-settings.js";
import { HIDDEN, shownText } from "../settings/setting.js";
import { keyOf } from "../settings/setting-table.js";

const HEADINGS = ["SETTING", "VALUE", "FROM", "SHADOWS", "PROBLEM"];

export function configCommand(context: Context): Command {
  const command = new Command("config")
    .summary("print the settings and where each comes from")
    .description(
      "Print each setting with its value, its source, the weaker sources that it overrides, and any problem. Secrets " +
        "are hidden. Reads no variables; accepts the flags of the commands that do.",
    )
    .addHelpText("after", "\nExample:\n  appvars config --profile staging")
    .action((flags) => runConfig(inspectFlags(flags, context.io), context));
  return addSourceOptions(command);
}

async function runConfig({ settings, problems }: Inspection, context: Context): Promise<void> {
  for (const problem of problems) context.note(problem);
  const json = { settings: settings.map(settingJson), problems };
  const headings = settings.some(({ problem }) => problem !== undefined) ? HEADINGS : HEADINGS.slice(0, -1);
  await printTable(context, { json, headings, rows: settings.map(cells), absent: "(not set)" });
}

function cells({ name, given, byDefault, shadows, problem = "" }: InspectedSetting): (string | undefined)[] {
  const value = given ? (shownText(given) ?? HIDDEN) : byDefault;
  const from = given?.from ?? (byDefault === undefined ? "" : "default");
  return [keyOf(name), value, from, shadows.map((setting) => setting.from).join(", "), problem];
}
