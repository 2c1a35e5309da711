// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in dotenv files
import { Command, Option } from "commander";
import { DOTENV_PROGRAMS } from "../../formats/entry.js";
import { IMPORT_FORMATS } from "../../formats/formats.js";
import { UsageError } from "../../kit/text/errors.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import { type Difference, diffValues } from "../../model/differing-values.js";
import type { EnvironmentRecord } from "../../model/environment.js";
import { createMatcher } from "../../model/name-matcher.js";
import { isUnreadable, type NamedValue, textAs } from "../../model/variable.js";
import type { Data } from "../../store/data.js";
import { editEnvironments } from "../../tasks/data/open-data.js";
import { readSettings, type Settings } from "../../tasks/settings/resolve-settings.js";
import { createDecrypt, createEncrypt } from "../../tasks/sources/decryption.js";
import { type ImportedFile, readImport } from "../../tasks/transfer/read-import.js";
import { typeEntries } from "../../tasks/transfer/type-entries.js";
import { parseNames } from "../arguments/selection-flags.js";
import { addDataOptions, addDryRun, ENCRYPTION_KEY_FILE } from "../arguments/source-flags.js";
import type { Context } from "../output/context.js";
import { writeStatus } from "../output/output.js";

interface ImportOptions extends ImportedFile {
  /** The names and globs of the values to encrypt; `true` for all. */
  encrypt: true | readonly string[] | undefined;
}

export function importCommand(context: Context): Command {
  const command = new Command("import")
    .description(
      "Import variables into one environment of a data file or a store, in one atomic write. An existing variable keeps its type, " +
        "which the new value must have. A new variable gets the type of its value in JSON or YAML; a dotenv text is " +
        "BOOLEAN if true or false, NUMBER if a number in its shortest form, JSON if an object or array, and STRING " +
        "otherwise, unless a comment written by export gives another type. Variables that are not in the file do not change.",
    )
    .argument("<file>", "file to import, - for stdin")
    .addOption(
      new Option("--format <format>", "default: by the file extension, otherwise dotenv").choices(
        IMPORT_FORMATS,
      ),
    )
    .addOption(
      new Option("--for <program>", "read a dotenv file as this program does")
        .choices(DOTENV_PROGRAMS)
        .conflicts("expand"),
    )
    .option(
      "--expand",
      "in a dotenv file, replace $NAME, ${NAME} and ${NAME:-default} by values of the file",
    )
    .option(
      "--encrypt [names]",
      "encrypt the values, or only these: names and globs, separated by commas",
      (text) => parseNames(text),
    )
    .option(...ENCRYPTION_KEY_FILE)
    .addHelpText(
      "after",
      "\nExample:\n  appvars import .env --data vars.json --env development --dry-run",
    )
    .action((file: string, { format, for: program, expand = false, encrypt, ...flags }) =>
      runImport({ file, format, program, expand, encrypt }, readSettings(flags, context), context),
    );
  return addDataOptions(addDryRun(command));
}

async function runImport(
  options: ImportOptions,
  settings: Settings,
  context: Context,
): Promise<void> {
  const { setValues } = await import("../../store/edits/edit-values.js");
  const { checkPlainValues } = await import("../../store/schema/value-schema.js");
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
    const encrypted = await createEncryption(options, settings);
    progress("reading");
    const imported = await readImport(options, context.surroundings, note);
    let done = "";
    const edited = await editEnvironments(settings, context, {}, async (data, [environment]) => {
      progress(`comparing ${imported.entries.length} variables`);
      const plain = typeEntries(imported, data, environment, note);
      if (options.encrypt !== undefined) await checkPlainValues(data, environment, plain);
      const current = currentValues(data, environment, plain);
      const typed = encrypted(plain, current);
      const differences = diffValues(current, typed);
      done = summary(differences, typed.length);
      progress(flags.dryRun ? "" : `writing ${differences.length} changes`);
      return differences.length > 0 ? setValues(data, environment, typed) : data;
    });
    progress("");
    if (edited) context.tell(done);
  } finally {
    // So that an error has a line of its own.
    progress("");
  }
}

/**
 * Encrypts the values that `--encrypt` selects. An encrypted value stays as it is, and so does the
 * current value if its text is the same: importing a file twice changes nothing.
 *
 * @throws UsageError for a name that is not imported, so that a mistyped one does not leave a value
 *   plain
 */
async function createEncryption(
  { file, encrypt }: ImportOptions,
  settings: Settings,
): Promise<
  (entries: readonly NamedValue[], current: readonly NamedValue[]) => readonly NamedValue[]
> {
  if (encrypt === undefined) return (entries) => entries;
  const toEnvelope = await createEncrypt(settings, file === "-" ? "the values" : undefined);
  const decrypt = await createDecrypt(settings);
  const wanted = createMatcher(encrypt === true ? ["*"] : encrypt);
  const keptIfSame = (current: JsonValue | undefined, name: string, text: string) => {
    try {
      return isUnreadable(current) && decrypt(name, current) === text ? current : undefined;
    } catch {
      // Another key has encrypted it.
      return undefined;
    }
  };
  return (entries, current) => {
    const unmatched = encrypt === true ? [] : wanted.unmatched(entries.map(({ name }) => name));
    if (unmatched.length > 0)
      throw new UsageError(`--encrypt ${unmatched.join(", ")} matches no imported variable`);
    const known = new Map(current.map(({ name, value }) => [name, value]));
    return entries.map((entry) => {
      const { name, type, value } = entry;
      if (!wanted.matches(name) || isUnreadable(value)) return entry;
      const text = textAs(value, type);
      return { ...entry, value: keptIfSame(known.get(name), name, text) ?? toEnvelope(text) };
    });
  };
}

/** The current values of the imported names; the others do not change. */
function currentValues(
  data: Data,
  environment: EnvironmentRecord,
  imported: readonly NamedValue[],
): NamedValue[] {
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
