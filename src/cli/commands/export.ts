import { Command, Option } from "commander";
import { UsageError } from "../../domain/errors.js";
import type { VariableSource } from "../../domain/source.js";
import { EXPORT_FORMATS, type ExportFormat, WRITERS } from "../../formats/formats.js";
import { type Context, withSource } from "../context.js";
import { createDecrypt, type Decrypt } from "../decryption.js";
import { layersOf } from "../layers.js";
import { readEntries } from "../read-entries.js";
import { findSetting } from "../settings.js";
import { addSourceOptions } from "../source-options.js";
import { isSameFile, writePrivateFile } from "../write-private-file.js";

export interface ExportOptions {
  format: ExportFormat;
  /** File to write instead of stdout. */
  output: string | undefined;
}

export function exportCommand(context: Context): Command {
  const command = new Command("export")
    .summary("print all values in the format of another program")
    .description(
      "Print all values of the environment, safe for the program that reads the format. When the format can't hold " +
        "one of the names or values, nothing is printed and each is reported.",
    )
    .addOption(
      new Option("--format <format>", "what to print (default dotenv, or json with --json)").choices(EXPORT_FORMATS),
    )
    .option("-o, --output <file>", "write this file, readable by you alone, in one step; - is stdout")
    .addHelpText("after", '\nExample:\n  eval "$(appvars export --format shell)"')
    .action(({ format, output, ...flags }) =>
      withSource(context.openSource(flags), async (source) => {
        const data = findSetting(layersOf(flags, context.io), "data")?.text;
        if (output && data && (await isSameFile(output, data)))
          throw new UsageError(`${output} is the data file itself`);
        const chosen = format ?? (context.flags.json ? "json" : "dotenv");
        await runExport({ format: chosen, output }, source, await createDecrypt(flags, context), context);
      }),
    );
  return addSourceOptions(command);
}

/** @throws UsageError for what the format can't hold, DecryptionError; InvalidDataError for an unwritable file */
export async function runExport(
  { format, output }: ExportOptions,
  source: VariableSource,
  decrypt: Decrypt,
  context: Context,
): Promise<void> {
  const entries = await readEntries(source, decrypt);
  const write = await WRITERS[format]();
  const text = write(entries);
  if (output === undefined || output === "-") return context.print(text);
  await writePrivateFile(output, text);
  context.tell(`wrote ${entries.length} variables to ${output}`);
}
