import { Command } from "commander";
import { NotFoundError } from "../../domain/errors.js";
import { readAll, type VariableSource } from "../../domain/source.js";
import type { Variable, VariableValue } from "../../domain/variable.js";
import { valueText } from "../../domain/variable.js";
import { type Context, withSource } from "../context.js";
import { createDecrypt, type Decrypt, leaveEncrypted } from "../decryption.js";
import { escapeControls, escapeField } from "../escape.js";
import { missingNamesError } from "../missing-names.js";
import { addSourceOptions } from "../source-options.js";

export interface ShowOptions {
  name: string;
  /** Whether the value itself is shown. */
  values: boolean;
}

/** A definition, and its value record where it has one in this environment. */
interface Shown {
  variable: Variable;
  value: VariableValue | undefined;
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
  const shown = await readShown(name, source);
  if (shown.value) shown.value = { ...shown.value, content: { value: decrypt(name, shown.value.content.value) } };
  if (context.flags.json) return context.printJson(toJson(shown, values));
  const isTerminal = context.io.stdout.isTTY ?? false;
  for (const [label, text] of describe(shown, values)) {
    context.print(isTerminal ? `${label.padEnd(13)}${escapeControls(text)}\n` : `${label}\t${escapeField(text)}\n`);
  }
}

async function readShown(name: string, source: VariableSource): Promise<Shown> {
  const value = await source.getValueByName(name).catch((error: unknown) => {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  });
  if (value) return { variable: await source.getVariable(value.variable_id), value };
  // A definition without a value here can only be found in the list.
  const variable = (await readAll((page) => source.listVariables(page))).find((item) => item.name === name);
  if (!variable) throw await missingNamesError([name], source);
  return { variable, value: undefined };
}

function toJson({ variable, value }: Shown, values: boolean): object {
  if (!value) return { variable, value: null };
  const { content, ...record } = value;
  return { variable, value: values ? value : record };
}

function describe({ variable, value }: Shown, values: boolean): [label: string, text: string][] {
  return [
    ["name", variable.name],
    ["type", variable.type],
    ["description", variable.description],
    ["variable id", String(variable.id)],
    ["value id", value ? String(value.id) : "(no value in this environment)"],
    ...(value
      ? [["value", values ? valueText(value.content.value) : "(hidden: --values shows it)"] as [string, string]]
      : []),
  ];
}
