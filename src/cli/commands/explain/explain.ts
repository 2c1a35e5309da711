import { Command } from "commander";
import { valueText } from "../../../domain/variable.js";
import type { Context } from "../../output/context.js";
import { printFields } from "../../output/printer.js";
import { addSourceOptions } from "../../settings/flags.js";
import { type InspectedSetting, settingJson } from "../../settings/inspect-settings.js";
import { HIDDEN, shownName, shownText } from "../../settings/layers.js";
import { readSettings } from "../../settings/settings.js";
import { openSource, withSource } from "../../sources/open-source.js";
import { HIDDEN_VALUE, recordFields } from "../../sources/reading.js";
import { type Explanation, explain } from "./explanation.js";
import { describeShellVariable } from "./shell-variable.js";

export function explainCommand(context: Context): Command {
  const command = new Command("explain")
    .summary("show where a value comes from and what it overrides")
    .description(
      "Show where the value of a variable comes from: its record, the server or data file, the settings that select " +
        "it and those that they override, and what run does with a variable of that name in this shell. Prints the " +
        "value itself only with --values.",
    )
    .argument("<name>", "name of the variable")
    .option("--values", "show the value too")
    .addHelpText("after", "\nExample:\n  appvars explain DATABASE_URL")
    .action((name: string, { values = false, ...flags }) => {
      const settings = readSettings(flags, context.io);
      return withSource(openSource(settings, context), async (source) =>
        printExplanation(await explain(name, source, settings, context), values, context),
      );
    });
  return addSourceOptions(command);
}

/** @param values whether the value itself is shown */
export function printExplanation(explanation: Explanation, values: boolean, context: Context): Promise<void> {
  return printFields(context, { json: toJson(explanation, values), fields: describe(explanation, values) });
}

function toJson({ record, value, encrypted, settings, shell }: Explanation, values: boolean): object {
  const { content: _, ...ids } = record.value ?? {};
  const shown = values && value && value !== "undecrypted" ? { content: value } : {};
  return {
    variable: record.variable,
    value: record.value ? { ...ids, encrypted, ...shown } : null,
    settings: settings.map(settingJson),
    shell: { ...shell, same: shell.same ?? null },
  };
}

function describe(explanation: Explanation, values: boolean): [label: string, text: string][] {
  const { record, encrypted, settings, shell } = explanation;
  const shadowed = settings.flatMap(({ shadows }) => shadows.map(({ from }) => from));
  return [
    ...recordFields(record, valueToShow(explanation, values)),
    ...(record.value ? [["encrypted", encrypted ? "yes" : "no"] as [string, string]] : []),
    ...settings.flatMap(describeSetting),
    ["shadowed", shadowed.join(", ") || "nothing"],
    ["shell", describeShellVariable(record.variable.name, shell)],
  ];
}

function valueToShow({ value }: Explanation, values: boolean): string {
  if (!value || value === "undecrypted") return "(there is no key that decrypts it)";
  return values ? valueText(value.value) : HIDDEN_VALUE;
}

/** `url  http://127.0.0.1:7400 (APPVARS_URL)` */
function describeSetting({ name, given, byDefault }: InspectedSetting): [label: string, text: string][] {
  const label = shownName(name).replaceAll("_", " ");
  if (given) return [[label, `${shownText(given) ?? HIDDEN} (${given.from})`]];
  return byDefault === undefined ? [] : [[label, `${byDefault} (default)`]];
}
