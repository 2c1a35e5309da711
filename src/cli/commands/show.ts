import { Command } from "commander";
import type { VariableSource } from "../../domain/source.js";
import { valueText } from "../../domain/variable.js";
import { type Context, withSource } from "../context.js";
import { createDecrypt, type Decrypt, leaveEncrypted } from "../decryption.js";
import { printFields } from "../print-fields.js";
import { HIDDEN_VALUE, type NamedRecord, readRecord, recordFields } from "../read-record.js";
import { addSourceOptions } from "../source-options.js";

export interface ShowOptions {
  name: string;
  /** Whether the value itself is shown. */
  values: boolean;
}

export function showCommand(context: Context): Command {
  const command = new Command("show")
    .summary("print the definition and value record of one variable")
    .description("Print the definition and the value record of one variable; the value itself only with --values.")
    .argument("<name>", "name of the variable")
    .option("--values", "show the value too", false)
    .addHelpText("after", "\nExample:\n  appvars show DATABASE_URL")
    .action((name: string, { values, ...flags }) =>
      withSource(context.openSource(flags), async (source) => {
        const decrypt = values ? await createDecrypt(flags, context, leaveEncrypted) : leaveEncrypted;
        await runShow({ name, values }, source, decrypt, context);
      }),
    );
  return addSourceOptions(command);
}

/** @throws NotFoundError when no variable has that name, DecryptionError */
export async function runShow(
  { name, values }: ShowOptions,
  source: VariableSource,
  decrypt: Decrypt,
  context: Context,
): Promise<void> {
  const shown = await readRecord(name, source);
  if (shown.value) shown.value = { ...shown.value, content: { value: decrypt(name, shown.value.content.value) } };
  if (context.flags.json) return context.printJson(toJson(shown, values));
  const text = values && shown.value ? valueText(shown.value.content.value) : HIDDEN_VALUE;
  printFields(recordFields(shown, text), context);
}

function toJson({ variable, value }: NamedRecord, values: boolean): object {
  if (!value) return { variable, value: null };
  const { content, ...record } = value;
  return { variable, value: values ? value : record };
}
