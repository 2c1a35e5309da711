import { Command } from "commander";
import type { Context } from "../context.js";
import { escapeField } from "../escape.js";
import { type InspectedSetting, type Inspection, inspectSettings } from "../inspect-settings.js";
import { HIDDEN, settingJson, shownName, shownText } from "../shown-setting.js";
import { addSourceOptions } from "../source-options.js";
import { formatTable } from "../table.js";

const HEADINGS = ["SETTING", "VALUE", "FROM", "SHADOWS", "PROBLEM"];

export function configCommand(context: Context): Command {
  const command = new Command("config")
    .summary("print the settings and where each comes from")
    .description(
      "Print each setting with its value, where it comes from, the weaker places that give it too, and what is wrong " +
        "with it. Secrets stay hidden. Reads no variables, and takes the same flags as the commands that do.",
    )
    .addHelpText("after", "\nExample:\n  appvars config --profile staging")
    .action((flags) => runConfig(inspectSettings(flags, context.io), context));
  return addSourceOptions(command);
}

export async function runConfig({ settings, problems }: Inspection, context: Context): Promise<void> {
  if (context.flags.json) return context.printJson({ settings: settings.map(settingJson), problems });
  for (const problem of problems) context.note(problem);
  if (!context.io.stdout.isTTY) {
    return context.print(settings.map((setting) => `${cells(setting, "").map(escapeField).join("\t")}\n`).join(""));
  }
  const rows = settings.map((setting) => cells(setting, "(not set)"));
  const columns = settings.some(({ problem }) => problem !== undefined) ? HEADINGS : HEADINGS.slice(0, -1);
  context.print(await formatTable(columns, rows, await context.colors()));
}

function cells({ name, given, byDefault, shadows, problem = "" }: InspectedSetting, unset: string): string[] {
  const value = given ? (shownText(given) ?? HIDDEN) : (byDefault ?? unset);
  const from = given?.from ?? (byDefault === undefined ? "" : "default");
  return [shownName(name), value, from, shadows.map((setting) => setting.from).join(", "), problem];
}
