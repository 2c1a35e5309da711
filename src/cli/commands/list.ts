import { Command, Option } from "commander";
import { readAll, type VariableSource } from "../../domain/source.js";
import { type JsonValue, VARIABLE_TYPES, type Variable, type VariableType, valueText } from "../../domain/variable.js";
import { type Context, withSource } from "../context.js";
import { createDecrypt, type Decrypt, leaveEncrypted } from "../decryption.js";
import { escapeField } from "../escape.js";
import { addSourceOptions } from "../source-options.js";
import { formatTable } from "../table.js";
import { parseType } from "../type-argument.js";

export interface ListOptions {
  /** Whether to read and show the values too. */
  values: boolean;
  type?: VariableType | undefined;
  /** Text that the name or the description must contain, in any case. */
  filter?: string | undefined;
}

interface Listed extends Variable {
  /** Absent where it was not asked for, or is not set in this environment. */
  value?: JsonValue;
}

export function listCommand(context: Context): Command {
  const command = new Command("list")
    .summary("list the environment's variables")
    .description(
      "List the environment's variables: a table on a terminal; else lines of name, type, description and, with " +
        "--values, value, separated by tabs, in which \\t \\n \\r \\\\ stand for those characters.",
    )
    .option("--values", "show the values too", false)
    .addOption(new Option("--type <type>", "only variables of this type").choices(VARIABLE_TYPES).argParser(parseType))
    .option("--filter <text>", "only variables with this text in their name or description")
    .addHelpText("after", "\nExample:\n  appvars list --filter database")
    .action(({ values, type, filter, ...flags }) =>
      withSource(context.openSource(flags), async (source) => {
        const decrypt = values ? await createDecrypt(flags, context, leaveEncrypted) : leaveEncrypted;
        await runList({ values, type, filter }, source, decrypt, context);
      }),
    );
  return addSourceOptions(command);
}

/** @throws DecryptionError for a value that the key does not open */
export async function runList(
  options: ListOptions,
  source: VariableSource,
  decrypt: Decrypt,
  context: Context,
): Promise<void> {
  const variables = (await readAll((page) => source.listVariables(page))).filter(matcher(options));
  const listed = options.values ? await withValues(variables, source, decrypt) : variables;
  if (context.flags.json) return context.printJson(listed);
  if (!context.io.stdout.isTTY)
    return context.print(listed.map((item) => `${fields(item, options).join("\t")}\n`).join(""));
  if (listed.length === 0) return context.note("no variables match");
  context.print(
    await formatTable(
      headings(options),
      listed.map((item) => cells(item, options)),
      await context.colors(),
    ),
  );
}

function matcher({ type, filter = "" }: ListOptions): (variable: Variable) => boolean {
  const wanted = filter.toLowerCase();
  return (variable) =>
    (type === undefined || variable.type === type) &&
    [variable.name, variable.description].some((text) => text.toLowerCase().includes(wanted));
}

async function withValues(variables: readonly Variable[], source: VariableSource, decrypt: Decrypt): Promise<Listed[]> {
  const values = await readAll((page) => source.listValues(page));
  const contents = new Map(values.map(({ variable_id, content }) => [variable_id, content]));
  return variables.map((variable) => {
    const content = contents.get(variable.id);
    return content ? { ...variable, value: decrypt(variable.name, content.value) } : variable;
  });
}

/** A line for a program. What has no value gives an empty field. */
function fields(item: Listed, { values }: ListOptions): string[] {
  const texts = [item.name, item.type, item.description];
  if (values) texts.push(item.value === undefined ? "" : valueText(item.value));
  return texts.map(escapeField);
}

/** A line for a person. */
function cells(item: Listed, { values }: ListOptions): string[] {
  const texts = [item.name, item.type, item.description];
  return values ? [...texts, item.value === undefined ? "(no value)" : valueText(item.value)] : texts;
}

function headings({ values }: ListOptions): string[] {
  return ["NAME", "TYPE", "DESCRIPTION", ...(values ? ["VALUE"] : [])];
}
