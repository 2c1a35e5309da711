import { Command } from "commander";
import { valueText } from "../../domain/variable.js";
import type { Context } from "../output/context.js";
import { printFields } from "../output/printer.js";
import { addSourceOptions } from "../settings/flags.js";
import { readSettings, type Settings } from "../settings/settings.js";
import { createDecrypt, leaveEncrypted } from "../sources/decryption.js";
import { openSource, withSource } from "../sources/open-source.js";
import { HIDDEN_VALUE, type NamedRecord, readRecord, recordFields } from "../sources/reading.js";

export function showCommand(context: Context): Command {
  const command = new Command("show")
    .summary("print the definition and value record of one variable")
    .description("Print the definition and the value record of one variable; the value itself only with --values.")
    .argument("<name>", "name of the variable")
    .option("--values", "show the value too")
    .addHelpText("after", "\nExample:\n  appvars show DATABASE_URL")
    .action((name: string, { values = false, ...flags }) =>
      runShow(name, values, readSettings(flags, context.io), context),
    );
  return addSourceOptions(command);
}

function runShow(name: string, values: boolean, settings: Settings, context: Context): Promise<void> {
  return withSource(openSource(settings, context), async (source) => {
    const decrypt = values ? await createDecrypt(settings, leaveEncrypted) : leaveEncrypted;
    const shown = await source.readSnapshot((snapshot) => readRecord(name, snapshot));
    if (shown.value) shown.value = { ...shown.value, content: { value: decrypt(name, shown.value.content.value) } };
    const text = values && shown.value ? valueText(shown.value.content.value) : HIDDEN_VALUE;
    await printFields(context, { json: toJson(shown, values), fields: recordFields(shown, text) });
  });
}

function toJson({ variable, value }: NamedRecord, values: boolean): object {
  if (!value) return { variable, value: null };
  const { content, ...record } = value;
  return { variable, value: values ? value : record };
}
