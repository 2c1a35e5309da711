import { Command, Option } from "commander";
import type { VariableReader } from "../../domain/read.js";
import { checkType, readAll } from "../../domain/source.js";
import {
  isPublic,
  type JsonValue,
  VARIABLE_FIELDS,
  VARIABLE_TYPES,
  type ValueRules,
  type Variable,
  type VariableType,
  valueText,
} from "../../domain/variable.js";
import { type Context, printTable } from "../output/context.js";
import { boundHeap } from "../reading/bound-heap.js";
import { createDecrypt, leaveEncrypted } from "../reading/decryption.js";
import { openSource, withSource } from "../reading/open-source.js";
import { createSelection } from "../selection/selection.js";
import { addSelectionOptions, type SelectionOptions } from "../selection/selection-flags.js";
import { parseType } from "../settings/flag-arguments.js";
import { readSettings, type Settings } from "../settings/resolve-settings.js";
import { HIDDEN } from "../settings/setting-table.js";
import { addSourceOptions } from "../settings/source-flags.js";

interface ListOptions extends SelectionOptions {
  values: boolean;
  type?: VariableType | undefined;
  /** Text that the name or the description must contain, in any case. */
  filter?: string | undefined;
}

interface Listed extends Variable, ValueRules {
  /** Absent if it was not requested, or has no value in this environment. */
  value?: JsonValue;
}

export function listCommand(context: Context): Command {
  const command = new Command("list")
    .description(
      "List the environment's variables: a table on a terminal; otherwise lines with name, type, description and, with " +
        "--values, value, separated by tabs. Public values of a data file or a store are always shown. In these lines, tabs, " +
        "line breaks, backslashes and invisible characters are " +
        "escaped: \\t \\n \\\\ \\x1b \\u{200b}.",
    )
    .option("--values", "show the values too")
    .addOption(new Option("--type <type>", "only variables of this type").choices(VARIABLE_TYPES).argParser(parseType))
    .option("--filter <text>", "only variables with this text in their name or description");
  addSelectionOptions(command)
    .addHelpText("after", "\nExample:\n  appvars list --filter database")
    .action(({ values = false, type, filter, only, exclude, nameTransformer, ...flags }) =>
      runList({ values, type, filter, only, exclude, nameTransformer }, readSettings(flags, context.io), context),
    );
  return addSourceOptions(command);
}

function runList(options: ListOptions, settings: Settings, context: Context): Promise<void> {
  return withSource(openSource(settings, context), async (source) => {
    boundHeap();
    const decrypt = options.values ? await createDecrypt(settings, leaveEncrypted) : leaveEncrypted;
    const selection = await createSelection(options, context);
    const entries = await source.readSnapshot((snapshot) => readListed(options, snapshot));
    const names = entries.map(({ variable }) => variable.name);
    const selected = new Set(await selection.select(names, async () => names));
    selection.noteUnmatched(names);
    const matching = entries.filter(({ variable }) => selected.has(variable.name) && matches(variable, options));
    const newNames = selection.rename(matching.map(({ variable }) => variable.name));
    const isShown = ({ rules }: ReadVariable) => options.values || isPublic(rules);
    const listed = matching.map((entry): Listed => {
      const { variable, value, rules } = entry;
      const name = newNames.get(variable.name) ?? variable.name;
      const item: Listed = { ...variable, ...rules, name };
      if (value !== undefined && isShown(entry)) item.value = decrypt(variable.name, value);
      return item;
    });
    const hasValues = options.values || matching.some(isShown);
    const headings = [...COLUMNS, ...(hasValues ? ["value"] : [])].map((field) => field.toUpperCase());
    const rows = listed.map((item, index) => cells(item, matching[index]?.value).slice(0, headings.length));
    const [absent, empty] = ["(no value)", "no variables match"];
    await printTable(context, { json: listed, headings, rows, absent, empty });
  });
}

/** A variable with its value, if that was read and is there. */
interface ReadVariable {
  variable: Variable;
  rules: ValueRules | undefined;
  value: JsonValue | undefined;
}

async function readListed(options: ListOptions, reader: VariableReader): Promise<ReadVariable[]> {
  const listing = readAll((page) => reader.listVariables(page));
  const [variables, asked] = await Promise.all([listing, options.values ? reader.values() : undefined]);
  boundHeap();
  const rules = variables.map(({ id }) => reader.rulesOf(id));
  const values = asked ?? (rules.some(isPublic) ? await reader.values() : {});
  return variables.map((variable, index) => {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined;
    if (value !== undefined) checkType(variable, value);
    return { variable, rules: rules[index], value };
  });
}

function matches({ name, type, description }: Variable, { type: wanted = type, filter = "" }: ListOptions): boolean {
  return type === wanted && [name, description].some((text) => text.toLowerCase().includes(filter.toLowerCase()));
}

const COLUMNS = VARIABLE_FIELDS.filter((field) => field !== "id");

function cells({ value, ...variable }: Listed, stored: JsonValue | undefined): (string | undefined)[] {
  const hidden = stored === undefined ? undefined : HIDDEN;
  return [...COLUMNS.map((field) => variable[field]), value === undefined ? hidden : valueText(value)];
}
