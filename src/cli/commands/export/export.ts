import { Command, Option } from "commander";
import { UsageError } from "../../../domain/errors.js";
import { DOTENV_TARGETS, ENVIRONMENT_FORMATS, EXPORT_FORMATS, NAME_RULES } from "../../../formats/formats.js";
import { isSameFile } from "../../editing/safe-files.js";
import { type Context, printRaw } from "../../output/context.js";
import { boundHeap } from "../../reading/bound-heap.js";
import { createDecrypt } from "../../reading/decryption.js";
import { openSource, withSource } from "../../reading/open-source.js";
import { addAllowReserved, addSelectionOptions } from "../../selection/selection-flags.js";
import { readSettings, type Settings } from "../../settings/resolve-settings.js";
import { addSourceOptions } from "../../settings/source-flags.js";
import { type ExportedValues, formatValues } from "../../transfer/format-values.js";
import { outputTarget, writePrivateFile } from "../../transfer/write-private-file.js";
import { findGithubFile, writeGithubFile } from "./github-file.js";

interface ExportOptions extends ExportedValues {
  /** File to write instead of stdout. */
  output: string | undefined;
}

export function exportCommand(context: Context): Command {
  const command = new Command("export")
    .description(
      "Print the values of the environment, escaped for the program that reads the format. If the format can't " +
        "represent a name or value, nothing is printed and each is reported. Reserved names, which can make programs " +
        `run other code (PATH, PROMPT_COMMAND and so on), are left out of ${listed(ENVIRONMENT_FORMATS)} with a ` +
        "warning; the other formats contain all names. github appends to the file that GITHUB_ENV names, after " +
        "masking the values in the log by lines on stdout.",
    )
    .addOption(
      new Option("--format <format>", "output format (default dotenv, or json with --json)").choices(EXPORT_FORMATS),
    )
    .addOption(
      new Option("--for <reader>", "with --format dotenv, quote for one program instead of all").choices(
        DOTENV_TARGETS,
      ),
    )
    .option(
      "-o, --output <file>",
      "write this file atomically, readable only by you; - for stdout; with github, append to it",
    );
  addSelectionOptions(command)
    .option("--name <text>", "name of the Secret (kubernetes) or service (compose) (default appvars)")
    .option("--skip-unsupported", "leave out variables that the format can't represent, with a warning")
    .addHelpText("after", '\nExample:\n  eval "$(appvars export --format shell)"')
    .action(({ format = context.flags.json ? "json" : "dotenv", for: target, output, name, ...flags }) => {
      const { only, exclude, nameTransformer, skipUnsupported = false, allowReserved = [], ...sourceFlags } = flags;
      const selection = { only, exclude, nameTransformer };
      const options = { format, target, output, name, ...selection, skipUnsupported, allowReserved };
      return runExport(options, readSettings(sourceFlags, context.io), context);
    });
  return addSourceOptions(addAllowReserved(command, "write"));
}

/** `dotenv, shell and fish`. */
function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function runExport(options: ExportOptions, settings: Settings, context: Context): Promise<void> {
  checkDocumentName(options);
  if (options.target && options.format !== "dotenv")
    throw new UsageError(`--for is for --format dotenv, not ${options.format}`);
  // `--output "$FILE"` with FILE unset must not select another file.
  if (options.output === "") throw new UsageError("--output must not be empty");
  return withSource(openSource(settings, context), async (source) => {
    boundHeap();
    // Paths are checked again when they are written; this reports a bad one before the server is asked.
    const githubFile = options.format === "github" ? findGithubFile(options.output, context) : undefined;
    const file = githubFile ?? checkOutput(options, context);
    const data = settings.find("data")?.text;
    if (file && data && (await isSameFile(file, data))) throw new UsageError(`${file} is the data file itself`);
    const { text, entries } = await formatValues(options, await createDecrypt(settings), source, context);
    if (file === undefined) return printRaw(context, { text });
    if (githubFile) await writeGithubFile(githubFile, entries, text, context);
    else await writePrivateFile(file, text, context.io);
    context.tell(`${githubFile ? "added" : "wrote"} ${entries.length} variables to ${file}`);
  });
}

/** @throws UsageError for a name that the document of this format can't have */
function checkDocumentName({ format, name }: ExportOptions): void {
  if (name === undefined) return;
  const rule = NAME_RULES[format];
  if (!rule) throw new UsageError(`--name is for ${Object.keys(NAME_RULES).join(" and ")}, not for ${format}`);
  if (!rule.pattern.test(name)) throw new UsageError(`--name must be ${rule.rule}`);
}

/** Returns the file to replace; undefined for stdout. */
function checkOutput({ output }: ExportOptions, { io }: Context): string | undefined {
  if (output === undefined || output === "-") return undefined;
  return outputTarget(output, io);
}
