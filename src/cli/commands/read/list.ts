import type { JsonValue } from "../../../kit/text/strict-json.js";
import { readAll } from "../../../model/reads/page.js";
import type { VariableReader } from "../../../model/reads/read.js";
import { checkType } from "../../../model/reads/variable-entries.js";
import {
  isPublic,
  VARIABLE_FIELDS,
  VARIABLE_TYPES,
  type ValueRules,
  type Variable,
  valueText,
} from "../../../model/variable.js";
import { createSelection, type Selection } from "../../../tasks/selection/selection.js";
import { HIDDEN } from "../../../tasks/settings/setting-table.js";
import {
  createDecrypt,
  leaveEncrypted,
  leaveUnlessSealed,
} from "../../../tasks/sources/decryption.js";
import { openSource, withSource } from "../../../tasks/sources/open-source.js";
import { defineCommand, type FlagValues } from "../../arguments/command.js";
import { parseType } from "../../arguments/flag-arguments.js";
import { SELECTION_FLAGS } from "../../arguments/selection-flags.js";
import { SOURCE_FLAGS } from "../../arguments/source-flags.js";
import { printTable } from "../../output/output.js";

interface Listed extends Variable, ValueRules {
  /** Absent if it was not requested, or has no value in this environment. */
  value?: JsonValue;
}

const FLAGS = {
  "--values": "show the values too",
  "--type <type>": {
    help: "only variables of this type",
    choices: VARIABLE_TYPES,
    parse: parseType,
  },
  "--filter <text>": "only variables with this text in their name or description",
  ...SELECTION_FLAGS,
  ...SOURCE_FLAGS,
} as const;

type ListOptions = FlagValues<typeof FLAGS>;

export const definition = defineCommand({
  description: `List the environment's variables: as a table on
    a terminal; otherwise as lines of name, type, description
    and, with --values, value, separated by tabs. Always shows
    public values of a data file or a store. Lines escape tabs,
    line breaks, backslashes and invisible characters: \\t \\n
    \\\\ \\x1b \\u{200b}.`,
  flags: FLAGS,
  examples: ["appvars list --filter database"],
  async run(_, options, context) {
    const settings = await context.settings(options);
    return withSource(openSource(settings, context), async (source) => {
      const decrypt = options.values
        ? await createDecrypt(settings, leaveUnlessSealed)
        : leaveEncrypted;
      const selection = createSelection(options, context);
      const { variables, storedValue } = await source.readSnapshot((snapshot) =>
        readListed(options, snapshot),
      );
      const { matching, newNames } = await selectListed(variables, options, selection);
      const isShown = (rules: ValueRules) => options.values || isPublic(rules);
      const columns = [...COLUMNS, ...(matching.some(isShown) ? (["value"] as const) : [])];
      const json: Listed[] = [];
      const rows: (string | undefined)[][] = [];
      for (const variable of matching) {
        const { name } = variable;
        const stored = storedValue(name);
        const item: Listed = { ...variable, name: newNames.get(name) ?? name };
        if (stored !== undefined && isShown(variable)) item.value = decrypt(name, stored);
        const hidden = stored === undefined ? undefined : HIDDEN;
        const value = item.value === undefined ? hidden : valueText(item.value);
        rows.push(columns.map((column) => (column === "value" ? value : item[column])));
        json.push(item);
      }
      await printTable(context, {
        json,
        headings: columns.map((column) => column.toUpperCase()),
        rows,
        absent: "(no value)",
        empty: "no variables match",
      });
    });
  },
});

async function readListed(options: ListOptions, reader: VariableReader) {
  const [definitions, all] = await Promise.all([
    readAll((page) => reader.listVariables(page)),
    options.values ? reader.values() : undefined,
  ]);
  const variables: Listed[] = definitions.map((variable) => {
    return { ...variable, ...reader.rulesOf(variable.id) };
  });
  const values = all ?? (variables.some(isPublic) ? await reader.values() : {});
  const storedValue = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);
  for (const variable of variables) checkType(variable, storedValue(variable.name));
  return { variables, storedValue };
}

async function selectListed(
  variables: readonly Listed[],
  options: ListOptions,
  selection: Selection,
) {
  const names = variables.map(({ name }) => name);
  const selected = new Set(await selection.select(names));
  selection.noteUnmatched(names);
  const matching = variables.filter(
    (variable) => selected.has(variable.name) && matches(variable, options),
  );
  return { matching, newNames: selection.rename(matching.map(({ name }) => name)) };
}

function matches({ name, type, description }: Variable, options: ListOptions): boolean {
  const filter = options.filter?.toLowerCase() ?? "";
  const isOfType = options.type === undefined || options.type === type;
  return isOfType && [name, description].some((text) => text.toLowerCase().includes(filter));
}

const COLUMNS = VARIABLE_FIELDS.filter((field) => field !== "id");
