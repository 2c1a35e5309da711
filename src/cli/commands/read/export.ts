import {
  DATA_FORMATS,
  EXPORT_FORMATS,
  type ExportFormat,
  NAME_RULES,
} from "../../../formats/formats.js";
import { DOTENV_TARGETS } from "../../../formats/writer.js";
import { UsageError } from "../../../kit/text/errors.js";
import { isSameFile } from "../../../tasks/files/safe-files.js";
import { outputTarget, writePrivateFile } from "../../../tasks/files/write-private-file.js";
import { createStrictCheck } from "../../../tasks/sources/check-source.js";
import { createDecrypt } from "../../../tasks/sources/decryption.js";
import { openSource, withSource } from "../../../tasks/sources/open-source.js";
import {
  declareVariables,
  formatValues,
  type Written,
} from "../../../tasks/transfer/format-values.js";
import { defineCommand } from "../../arguments/command.js";
import { allowReserved, SELECTION_FLAGS, strictFlags } from "../../arguments/selection-flags.js";
import { SOURCE_FLAGS } from "../../arguments/source-flags.js";
import type { Context } from "../../output/context.js";
import { printRaw } from "../../output/output.js";
import { findGithubFile, writeGithubFile } from "./github-file.js";

/** Declares the variables, without their values. */
const TYPESCRIPT = "typescript";

export const definition = defineCommand({
  description: `Print the values of the environment, escaped for
    the program that reads the format. If the format can't
    represent a name or value, prints nothing and reports each.
    Leaves out reserved names, which can make programs run other
    code (PATH, PROMPT_COMMAND and others), with a warning,
    except in ${DATA_FORMATS.join(", ")}. github masks the
    values in the log by lines on stdout, and then appends to
    the file that GITHUB_ENV names. typescript declares the
    variables, and reads no values.`,
  flags: {
    "--format <format>": {
      help: "output format (default dotenv, or json with --json)",
      choices: [...EXPORT_FORMATS, TYPESCRIPT],
    },
    "--for <reader>": {
      help: "with --format dotenv, quote for one program instead of all",
      choices: DOTENV_TARGETS,
    },
    "-o, --output <file>":
      "write this file atomically, readable only by you; - for stdout; with github, append to it",
    ...SELECTION_FLAGS,
    "--name <text>": "name of the Secret (kubernetes) or service (compose) (default appvars)",
    "--skip-unsupported": "leave out variables that the format can't represent, with a warning",
    ...strictFlags("print nothing"),
    ...allowReserved("write"),
    ...SOURCE_FLAGS,
  },
  examples: ['eval "$(appvars export --format shell)"'],
  async run(_, flags, context) {
    const { format = context.flags.json ? "json" : "dotenv", for: target, name, strict } = flags;
    const { skipUnsupported = false, allowReserved = [] } = flags;
    const options = { ...flags, target, skipUnsupported, allowReserved };
    const settings = await context.settings(flags);
    checkDocumentName(format, name);
    if (target && format !== "dotenv")
      throw new UsageError(`--for is for --format dotenv, not ${format}`);
    if (strict && format === TYPESCRIPT)
      throw new UsageError(`--strict is for values, not for ${format}`);
    // `--output "$FILE"` with FILE unset must not select another file.
    if (flags.output === "") throw new UsageError("--output must not be empty");
    return withSource(openSource(settings, context), async (source) => {
      // Reports a bad path before anything is read. Writing checks it again.
      const githubFile = format === "github" ? findGithubFile(flags.output, context) : undefined;
      const output = flags.output === "-" ? undefined : flags.output;
      const file = githubFile ?? (output && outputTarget(output, context.surroundings));
      const data = settings.find("data")?.text;
      if (file && data && (await isSameFile(file, data)))
        throw new UsageError(`${file} is the data file itself`);
      if (format === TYPESCRIPT)
        return write(file, await declareVariables(options, source, context), context);
      const findProblems = await createStrictCheck(strict, settings);
      const decrypt = await createDecrypt(settings);
      const exported = { ...options, format, findProblems };
      const written = await formatValues(exported, decrypt, source, context);
      if (!githubFile) return write(file, written, context);
      await writeGithubFile(githubFile, written, context);
      context.tell(`added ${written.entries.length} variables to ${githubFile}`);
    });
  },
});

async function write(
  file: string | undefined,
  { text, entries }: Written<unknown>,
  context: Context,
): Promise<void> {
  if (file === undefined) return printRaw(context, { text });
  await writePrivateFile(file, text, context.surroundings);
  context.tell(`wrote ${entries.length} variables to ${file}`);
}

/** @throws UsageError if documents of the format have no name, or not this one */
function checkDocumentName(format: ExportFormat | typeof TYPESCRIPT, name?: string): void {
  if (name === undefined) return;
  const rule = format === TYPESCRIPT ? undefined : NAME_RULES[format];
  if (!rule)
    throw new UsageError(
      `--name is for ${Object.keys(NAME_RULES).join(" and ")}, not for ${format}`,
    );
  if (!rule.pattern.test(name)) throw new UsageError(`--name must be ${rule.rule}`);
}
