import { Command } from "commander";
import { DecryptionError } from "../../../domain/errors.js";
import type { VariableSource } from "../../../domain/source.js";
import { isEncrypted, type JsonValue, valueText } from "../../../domain/variable.js";
import type { Context } from "../../output/context.js";
import { printFields } from "../../output/printer.js";
import { addSourceOptions } from "../../settings/flags.js";
import { type InspectedSetting, inspectLayers, settingJson } from "../../settings/inspect-settings.js";
import { HIDDEN, shownName, shownText } from "../../settings/layers.js";
import type { SettingName } from "../../settings/setting-names.js";
import { readSettings, type Settings } from "../../settings/settings.js";
import { createDecrypt, leaveEncrypted } from "../../sources/decryption.js";
import { openSource, withSource } from "../../sources/open-source.js";
import { HIDDEN_VALUE, type NamedRecord, readRecord, recordFields } from "../../sources/reading.js";
import { describeShellVariable, type ShellVariable, shellVariable } from "./shell-variable.js";

export function explainCommand(context: Context): Command {
  const command = new Command("explain")
    .summary("show where a value comes from and what it overrides")
    .description(
      "Show where the value of a variable comes from: its record, the server, data file or store, the settings that select " +
        "it and those that they override, and what run does with a variable of that name in this shell. Prints the " +
        "value itself only with --values.",
    )
    .argument("<name>", "name of the variable")
    .option("--values", "show the value too")
    .addHelpText("after", "\nExample:\n  appvars explain DATABASE_URL")
    .action((name: string, { values = false, ...flags }) => {
      const settings = readSettings(flags, context.io);
      return withSource(openSource(settings, context), async (source) => {
        const explanation = await explain(name, source, settings, context);
        await printFields(context, { json: toJson(explanation, values), fields: describe(explanation, values) });
      });
    });
  return addSourceOptions(command);
}

interface Explanation {
  record: NamedRecord;
  /** Undefined if it has no value in this environment. */
  value: { value: JsonValue } | "undecrypted" | undefined;
  encrypted: boolean;
  /** The settings that select its source. */
  settings: readonly InspectedSetting[];
  shell: ShellVariable;
}

/** The settings that select the source, and its environment. */
const REMOTE: readonly SettingName[] = ["profile", "url", "apiKey", "apiSecret", "apiSecretFile"];
const LOCAL: readonly SettingName[] = ["profile", "data", "store", "env"];

/** @throws NotFoundError, with a suggestion, if no variable has that name; what reading throws */
async function explain(
  name: string,
  source: VariableSource,
  settings: Settings,
  context: Context,
): Promise<Explanation> {
  const record = await source.readSnapshot((snapshot) => readRecord(name, snapshot));
  const stored = record.value?.content;
  const value = stored && isEncrypted(stored.value) ? await open(name, stored.value, settings) : stored;
  const inspected = inspectLayers(settings.layers);
  const relevant = settings.connection.kind === "local" ? LOCAL : REMOTE;
  return {
    record,
    value,
    encrypted: isEncrypted(stored?.value),
    settings: inspected.filter((setting) => relevant.includes(setting.name)),
    shell: shellVariable(name, value, context.io.env),
  };
}

/** The source of a value is known without the key for it, or with a wrong one. */
async function open(name: string, value: string, settings: Settings): Promise<{ value: JsonValue } | "undecrypted"> {
  const decrypt = await createDecrypt(settings, leaveEncrypted);
  try {
    const opened = decrypt(name, value);
    return opened === value ? "undecrypted" : { value: opened };
  } catch (error) {
    if (error instanceof DecryptionError) return "undecrypted";
    throw error;
  }
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
