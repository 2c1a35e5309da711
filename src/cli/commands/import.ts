import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { buffer } from "node:stream/consumers";
import { Command, Option } from "commander";
import { type Difference, diffValues, type NamedValue } from "../../domain/diff.js";
import type { EnvironmentRecord } from "../../domain/environment.js";
import { UsageError } from "../../domain/errors.js";
import type { ReadEntry } from "../../formats/entry.js";
import { IMPORT_FORMATS, type ImportFormat, READERS } from "../../formats/formats.js";
import type { Data } from "../../store/data.js";
import type { Context } from "../context.js";
import { printDifferences } from "../differences.js";
import { editEnvironment, readEnvironment } from "../editing.js";
import { createProgress } from "../progress.js";
import type { SourceFlags } from "../settings.js";
import { addDataOptions } from "../source-options.js";
import { typeEntries } from "../type-entries.js";

export interface ImportOptions {
  /** `-` for stdin. */
  file: string;
  format: ImportFormat | undefined;
  dryRun: boolean;
  /** Whether `--dry-run` prints the values too. */
  values: boolean;
}

export function importCommand(context: Context): Command {
  const command = new Command("import")
    .summary("import a dotenv, JSON or YAML file into a data file")
    .description(
      "Import variables into one environment of a data file, in one atomic write. A variable that exists keeps its " +
        "type, and its new value has to be of that type. A new one gets the type that its value has in JSON or YAML; " +
        "the texts of a dotenv file are BOOLEAN if true or false, NUMBER if a number in its shortest form, JSON if an " +
        "object or array, and STRING otherwise. Variables that the file does not name stay as they are.",
    )
    .argument("<file>", "what to import, - for stdin")
    .addOption(new Option("--format <format>", "default: by the name's ending, else dotenv").choices(IMPORT_FORMATS))
    .option("--dry-run", "print what would change, and change nothing")
    .option("--values", "with --dry-run, print the values too")
    .addHelpText("after", "\nExample:\n  appvars import .env --data vars.json --env development --dry-run")
    .action((file: string, { format, dryRun = false, values = false, ...flags }) =>
      runImport({ file, format, dryRun, values }, flags, context),
    );
  return addDataOptions(command);
}

/** @throws UsageError for a file that breaks a rule of its format; InvalidDataError, NotFoundError */
export async function runImport(options: ImportOptions, flags: SourceFlags, context: Context): Promise<void> {
  const { setValues } = await import("../../store/edit-values.js");
  const progress = createProgress(context);
  progress("reading");
  const format = options.format ?? formatOf(options.file);
  const entries = await readImport(options.file, format, context);
  const plan = (data: Data, environment: EnvironmentRecord): Plan => {
    progress(`comparing ${entries.length} variables`);
    const typed = typeEntries(entries, format === "dotenv", data, environment);
    const differences = diffValues(currentValues(data, environment, typed), typed);
    return { typed, differences, result: differences.length > 0 ? setValues(data, environment, typed) : data };
  };
  try {
    if (options.dryRun) {
      const { data, environment } = await readEnvironment(flags, context.io);
      const { differences } = plan(data, environment);
      progress.done();
      return await printDifferences(differences, options.values, context);
    }
    let made: Plan | undefined;
    await editEnvironment(flags, context.io, (data, environment) => {
      made = plan(data, environment);
      progress(`writing ${made.differences.length} changes`);
      return made.result;
    });
    progress.done();
    if (made) context.tell(summary(made));
  } finally {
    // An error is told on a line of its own too.
    progress.done();
  }
}

/** What an import does. */
interface Plan {
  typed: NamedValue[];
  differences: Difference[];
  /** The data after it. */
  result: Data;
}

function formatOf(file: string): ImportFormat {
  const ending = extname(file).toLowerCase();
  if (ending === ".json") return "json";
  return ending === ".yaml" || ending === ".yml" ? "yaml" : "dotenv";
}

/** @throws UsageError that names the file */
async function readImport(file: string, format: ImportFormat, context: Context): Promise<ReadEntry[]> {
  const what = file === "-" ? "stdin" : file;
  try {
    const read = await READERS[format]();
    const entries = read(await readInput(file, context));
    if (entries.length === 0) context.note(`${what} holds no variables`);
    return entries;
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${what}: ${error.message}`) : error;
  }
}

async function readInput(file: string, { io }: Context): Promise<string> {
  const bytes = await (file === "-" ? buffer(io.stdin) : readFile(file)).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`can't be read (${error.code})`);
  });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError("not valid UTF-8");
  }
}

/** What the environment holds now for the names that are imported: the others stay and are no difference. */
function currentValues(data: Data, environment: EnvironmentRecord, imported: readonly NamedValue[]): NamedValue[] {
  const names = new Set(imported.map((item) => item.name));
  const variables = new Map(data.variables.map((variable) => [variable.id, variable]));
  return data.values.flatMap(({ environment_id, variable_id, content }) => {
    const variable = variables.get(variable_id);
    if (environment_id !== environment.id || !variable || !names.has(variable.name)) return [];
    return [{ name: variable.name, type: variable.type, value: content.value }];
  });
}

function summary({ typed, differences }: Plan): string {
  const added = differences.filter((difference) => difference.kind === "added").length;
  const changed = differences.length - added;
  return `imported: ${added} added, ${changed} changed, ${typed.length - differences.length} unchanged`;
}
