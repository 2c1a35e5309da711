// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are what a dotenv file may contain
import { Command, Option } from "commander";
import { type Difference, diffValues } from "../../domain/diff.js";
import type { EnvironmentRecord } from "../../domain/environment.js";
import type { NamedValue } from "../../domain/variable.js";
import { IMPORT_FORMATS, TOOLS } from "../../formats/formats.js";
import type { Data } from "../../store/data.js";
import type { Context } from "../output/context.js";
import { writeStatus } from "../output/output.js";
import { addDataOptions } from "../settings/flags.js";
import { readSettings, type Settings } from "../settings/settings.js";
import { printDifferences } from "../sources/differences.js";
import { editEnvironment, readEnvironment } from "../sources/editing.js";
import { type ImportedFile, readImport } from "../transfer/read-import.js";
import { typeEntries } from "../transfer/type-entries.js";

interface ImportOptions extends ImportedFile {
  dryRun: boolean;
  /** Whether `--dry-run` prints the values too. */
  values: boolean;
}

export function importCommand(context: Context): Command {
  const command = new Command("import")
    .summary("import a dotenv, JSON or YAML file")
    .description(
      "Import variables into one environment of a data file or a store, in one atomic write. An existing variable keeps its type, " +
        "which the new value must have. A new variable gets the type of its value in JSON or YAML; a dotenv text is " +
        "BOOLEAN if true or false, NUMBER if a number in its shortest form, JSON if an object or array, and STRING " +
        "otherwise, unless a comment written by export gives another type. Variables that are not in the file do not change.",
    )
    .argument("<file>", "file to import, - for stdin")
    .addOption(
      new Option("--format <format>", "default: by the file extension, otherwise dotenv").choices(IMPORT_FORMATS),
    )
    .addOption(new Option("--from <tool>", "the file is what this tool prints").choices(TOOLS))
    .option("--expand", "in a dotenv file, replace $NAME, ${NAME} and ${NAME:-default} by values of the file")
    .option("--dry-run", "print what would change, without changing it")
    .option("--values", "with --dry-run, print the values too")
    .addHelpText("after", "\nExample:\n  appvars import .env --data vars.json --env development --dry-run")
    .action((file: string, { format, from, expand = false, dryRun = false, values = false, ...flags }) =>
      runImport({ file, format, from, expand, dryRun, values }, readSettings(flags, context.io), context),
    );
  return addDataOptions(command);
}

async function runImport(options: ImportOptions, settings: Settings, context: Context): Promise<void> {
  const { setValues } = await import("../../store/edit-values.js");
  const { io, flags } = context;
  // On the last line of a terminal; an empty step removes it.
  const progress = (step: string) => {
    if (io.stderr.isTTY && !flags.quiet) writeStatus(io.stderr, step && `${step} …`);
  };
  const note = (text: string) => {
    progress("");
    context.note(text);
  };
  try {
    progress("reading");
    const imported = await readImport(options, context, note);
    const plan = (data: Data, environment: EnvironmentRecord) => {
      progress(`comparing ${imported.entries.length} variables`);
      const typed = typeEntries(imported, data, environment);
      const differences = diffValues(currentValues(data, environment, typed), typed);
      return { typed, differences, result: differences.length > 0 ? setValues(data, environment, typed) : data };
    };
    if (options.dryRun) {
      const { data, environment } = await readEnvironment(settings, context);
      const { differences } = plan(data, environment);
      progress("");
      return await printDifferences(differences, options.values, context);
    }
    let made: ReturnType<typeof plan> | undefined;
    await editEnvironment(settings, context, (data, environment) => {
      made = plan(data, environment);
      progress(`writing ${made.differences.length} changes`);
      return made.result;
    });
    progress("");
    if (made) context.tell(summary(made.differences, made.typed.length));
  } finally {
    // So that an error has a line of its own.
    progress("");
  }
}

/** The current values of the imported names; the others do not change. */
function currentValues(data: Data, environment: EnvironmentRecord, imported: readonly NamedValue[]): NamedValue[] {
  const names = new Set(imported.map((item) => item.name));
  const variables = new Map(data.variables.map((variable) => [variable.id, variable]));
  return data.values.flatMap(({ environment_id, variable_id, content }) => {
    const variable = variables.get(variable_id);
    if (environment_id !== environment.id || !variable || !names.has(variable.name)) return [];
    return [{ name: variable.name, type: variable.type, value: content.value }];
  });
}

function summary(differences: readonly Difference[], total: number): string {
  const added = differences.filter((difference) => difference.kind === "added").length;
  const changed = differences.length - added;
  return `imported: ${added} added, ${changed} changed, ${total - differences.length} unchanged`;
}
