import { Command } from "commander";
import { DecryptionError, NotFoundError } from "../../../domain/errors.js";
import type { VariableSource } from "../../../domain/source.js";
import { isEncrypted, type JsonValue, valueText } from "../../../domain/variable.js";
import type { Context } from "../../output/context.js";
import { printFields } from "../../output/printer.js";
import { variableKey } from "../../processes/child.js";
import { parseEnvFile } from "../../settings/arguments.js";
import { addSourceOptions } from "../../settings/flags.js";
import { type InspectedSetting, inspectSettings, settingJson } from "../../settings/inspect-settings.js";
import { HIDDEN, shownText } from "../../settings/setting.js";
import { keyOf, type SettingName } from "../../settings/setting-table.js";
import { readSettings, type Settings } from "../../settings/settings.js";
import { createDecrypt, leaveEncrypted } from "../../sources/decryption.js";
import type { EnvFileEntry } from "../../sources/env-files.js";
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
    .option("-f, --env-file <file>", "look in this file too, as run -f does; can be repeated", parseEnvFile)
    .addHelpText("after", "\nExample:\n  appvars explain DATABASE_URL")
    .action(async (name: string, { values = false, envFile: files, ...flags }) => {
      const settings = readSettings(flags, context.io);
      const envFile = files && (await inEnvFiles(name, files, context));
      await withSource(openSource(settings, context), async (source) => {
        const explanation = await explain(name, envFile, source, settings, context);
        await printFields(context, { json: toJson(explanation, values), fields: describe(explanation, values) });
      });
    });
  return addSourceOptions(command);
}

interface Explanation {
  name: string;
  /** Undefined for a variable that only a file has. */
  record: NamedRecord | undefined;
  /** Undefined if it has no value in this environment. */
  value: { value: JsonValue } | "undecrypted" | undefined;
  encrypted: boolean;
  /** The settings that select its source. */
  settings: readonly InspectedSetting[];
  /** The value in `--env-file`, which takes precedence; "missing" if no file has one, undefined without files. */
  envFile: EnvFileEntry | "missing" | undefined;
  shell: ShellVariable;
}

async function inEnvFiles(name: string, files: string[], context: Context): Promise<EnvFileEntry | "missing"> {
  const { readEnvFiles, warnOfUnsafeEnvFiles } = await import("../../sources/env-files.js");
  warnOfUnsafeEnvFiles(files, context);
  const { platform } = context.io;
  return (await readEnvFiles(files, platform)).get(variableKey(name, platform)) ?? "missing";
}

/** The settings that select the source, and its environment. */
const REMOTE: readonly SettingName[] = ["profile", "url", "apiKey", "apiSecret", "apiSecretFile"];
const LOCAL: readonly SettingName[] = ["profile", "data", "store", "env"];

/** @throws NotFoundError, with a suggestion, if nothing has that name; what reading throws */
async function explain(
  name: string,
  envFile: Explanation["envFile"],
  source: VariableSource,
  settings: Settings,
  context: Context,
): Promise<Explanation> {
  const personal = envFile === "missing" ? undefined : envFile;
  const record = await source
    .readSnapshot((snapshot) => readRecord(name, snapshot))
    .catch((error: unknown) => {
      if (personal && error instanceof NotFoundError) return undefined;
      throw error;
    });
  const stored = record?.value?.content;
  const value = stored && isEncrypted(stored.value) ? await open(name, stored.value, settings) : stored;
  const inspected = inspectSettings(settings.given);
  const relevant = settings.connection.kind === "local" ? LOCAL : REMOTE;
  return {
    name,
    record,
    value,
    encrypted: isEncrypted(stored?.value),
    settings: inspected.filter((setting) => relevant.includes(setting.name)),
    envFile,
    shell: shellVariable(name, personal ?? value, context.io.env),
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

function toJson({ record, value, encrypted, settings, envFile, shell }: Explanation, values: boolean): object {
  const { content: _, ...ids } = record?.value ?? {};
  const shown = values && value && value !== "undecrypted" ? { content: value } : {};
  return {
    variable: record?.variable ?? null,
    value: record?.value ? { ...ids, encrypted, ...shown } : null,
    settings: settings.map(settingJson),
    ...(envFile && { env_file: envFile === "missing" ? null : envFileJson(envFile, values) }),
    shell: { ...shell, same: shell.same ?? null },
  };
}

function envFileJson({ file, value }: EnvFileEntry, values: boolean): object {
  return values ? { file, content: { value } } : { file };
}

function describe(explanation: Explanation, values: boolean): [label: string, text: string][] {
  const { name, record, encrypted, settings, envFile, shell } = explanation;
  const shadowed = settings.flatMap(({ shadows }) => shadows.map(({ from }) => from));
  return [
    ...(record ? recordFields(record, valueToShow(explanation, values)) : unknownFields(name)),
    ...(record?.value ? [["encrypted", encrypted ? "yes" : "no"] as [string, string]] : []),
    ...settings.flatMap(describeSetting),
    ["shadowed", shadowed.join(", ") || "nothing"],
    ...(envFile ? envFileFields(envFile, values) : []),
    ["shell", describeShellVariable(name, shell)],
  ];
}

function unknownFields(name: string): [label: string, text: string][] {
  return [
    ["name", name],
    ["variable id", "(no variable has this name)"],
  ];
}

function envFileFields(envFile: EnvFileEntry | "missing", values: boolean): [label: string, text: string][] {
  if (envFile === "missing") return [["env file", "(no value there)"]];
  return [
    ["env file", `${envFile.file} (takes precedence)`],
    ["file value", values ? envFile.value : HIDDEN_VALUE],
  ];
}

function valueToShow({ value }: Explanation, values: boolean): string {
  if (!value || value === "undecrypted") return "(there is no key that decrypts it)";
  return values ? valueText(value.value) : HIDDEN_VALUE;
}

/** `url  http://127.0.0.1:7400 (APPVARS_URL)` */
function describeSetting({ name, given, byDefault }: InspectedSetting): [label: string, text: string][] {
  const label = keyOf(name).replaceAll("_", " ");
  if (given) return [[label, `${shownText(given) ?? HIDDEN} (${given.from})`]];
  return byDefault === undefined ? [] : [[label, `${byDefault} (default)`]];
}
