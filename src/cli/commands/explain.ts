import { Command } from "commander";
import { valueText } from "../../domain/variable.js";
import { type Context, withSource } from "../context.js";
import { type Explanation, explain } from "../explanation.js";
import type { InspectedSetting } from "../inspect-settings.js";
import { printFields } from "../print-fields.js";
import { HIDDEN_VALUE, recordFields } from "../read-record.js";
import { describeShellVariable } from "../shell-variable.js";
import { HIDDEN, settingJson, shownName, shownText } from "../shown-setting.js";
import { addSourceOptions } from "../source-options.js";

export function explainCommand(context: Context): Command {
  const command = new Command("explain")
    .summary("tell where a value comes from and what it shadows")
    .description(
      "Tell where the value of a variable comes from: its record, the server or data file, the settings that led " +
        "there and those they shadow, and what run makes of a variable of that name in this shell. The value itself " +
        "only with --values.",
    )
    .argument("<name>", "name of the variable")
    .option("--values", "show the value too", false)
    .addHelpText("after", "\nExample:\n  appvars explain DATABASE_URL")
    .action((name: string, { values, ...flags }) =>
      withSource(context.openSource(flags), async (source) =>
        printExplanation(await explain(name, source, flags, context), values, context),
      ),
    );
  return addSourceOptions(command);
}

/** @param values whether the value itself is shown */
export function printExplanation(explanation: Explanation, values: boolean, context: Context): void {
  if (context.flags.json) context.printJson(toJson(explanation, values));
  else printFields(describe(explanation, values), context);
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
    ...recordFields(record, shownValue(explanation, values)),
    ...(record.value ? [["encrypted", encrypted ? "yes" : "no"] as [string, string]] : []),
    ...settings.flatMap(describeSetting),
    ["shadowed", shadowed.join(", ") || "nothing"],
    ["shell", describeShellVariable(record.variable.name, shell)],
  ];
}

function shownValue({ value }: Explanation, values: boolean): string {
  if (!value || value === "undecrypted") return "(there is no key that decrypts it)";
  return values ? valueText(value.value) : HIDDEN_VALUE;
}

/** `url  http://127.0.0.1:7400 (APPVARS_URL)` */
function describeSetting({ name, given, byDefault }: InspectedSetting): [label: string, text: string][] {
  const label = shownName(name).replaceAll("_", " ");
  if (given) return [[label, `${shownText(given) ?? HIDDEN} (${given.from})`]];
  return byDefault === undefined ? [] : [[label, `${byDefault} (default)`]];
}
