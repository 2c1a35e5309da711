import { Command, Option } from "commander";
import { UsageError } from "../../../domain/errors.js";
import { ENVIRONMENT_FORMATS, EXPORT_FORMATS, type ExportFormat, WRITERS } from "../../../formats/formats.js";
import type { Context } from "../../output/context.js";
import { printRaw } from "../../output/printer.js";
import { addAllowReserved, isLeftOut, warnLeftOut } from "../../run/allow-reserved.js";
import { addSourceOptions } from "../../settings/flags.js";
import { readSettings, type Settings } from "../../settings/settings.js";
import { createDecrypt } from "../../sources/decryption.js";
import { openSource, withSource } from "../../sources/open-source.js";
import { decryptValues, readStoredValues } from "../../sources/reading.js";
import { isSameFile } from "../../sources/safe-files.js";
import { refuseForeignPlace, writePrivateFile } from "./write-private-file.js";

interface ExportOptions {
  format: ExportFormat;
  /** File to write instead of stdout. */
  output: string | undefined;
  allowReserved: readonly string[];
}

export function exportCommand(context: Context): Command {
  const command = new Command("export")
    .summary("print all values in the format of another program")
    .description(
      "Print all values of the environment, escaped for the program that reads the format. If the format can't " +
        "represent a name or value, nothing is printed and each is reported. Reserved names, which can make programs " +
        `run other code (PATH, PROMPT_COMMAND and so on), are left out of ${ENVIRONMENT_FORMATS.join(", ")} with a ` +
        "warning; the other formats contain all names.",
    )
    .addOption(
      new Option("--format <format>", "output format (default dotenv, or json with --json)").choices(EXPORT_FORMATS),
    )
    .option("-o, --output <file>", "write this file atomically, readable only by you; - for stdout")
    .addHelpText("after", '\nExample:\n  eval "$(appvars export --format shell)"')
    .action(({ format = context.flags.json ? "json" : "dotenv", output, allowReserved = [], ...flags }) =>
      runExport({ format, output, allowReserved }, readSettings(flags, context.io), context),
    );
  return addSourceOptions(addAllowReserved(command, "write"));
}

function runExport(
  { format, output, allowReserved }: ExportOptions,
  settings: Settings,
  context: Context,
): Promise<void> {
  return withSource(openSource(settings, context), async (source) => {
    // Checked again when it is written; this reports a bad path before the server is asked.
    const warning = output && output !== "-" && refuseForeignPlace(output, context.io);
    if (warning) context.warn(warning);
    const data = settings.find("data")?.text;
    if (output && data && (await isSameFile(output, data))) throw new UsageError(`${output} is the data file itself`);
    const decrypt = await createDecrypt(settings);
    const isKept = (name: string) => !ENVIRONMENT_FORMATS.includes(format) || !isLeftOut(name, allowReserved);
    const stored = await source.readSnapshot(readStoredValues);
    const write = await WRITERS[format]();
    const entries = decryptValues(
      stored.filter(({ name }) => isKept(name)),
      decrypt,
    );
    const text = write(entries);
    const leftOut = stored.map(({ name }) => name).filter((name) => !isKept(name));
    warnLeftOut(leftOut, context);
    if (output === undefined || output === "-") return printRaw(context, { text });
    await writePrivateFile(output, text, context.io);
    context.tell(`wrote ${entries.length} variables to ${output}`);
  });
}
