import { existsSync } from "node:fs";
import { Command } from "commander";
import { diffValues } from "../../domain/diff.js";
import type { VariableSource } from "../../domain/source.js";
import { type Context, withSource } from "../context.js";
import { dataPath } from "../data-path.js";
import { createDecrypt, type Decrypt } from "../decryption.js";
import { printDifferences } from "../differences.js";
import type { Io } from "../io.js";
import { readEntries } from "../read-entries.js";
import type { SourceFlags } from "../settings.js";
import { addSourceOptions } from "../source-options.js";

export interface DiffOptions {
  before: string;
  after: string;
  values: boolean;
  /** Whether a difference is told by exit code 1. */
  exitCode: boolean;
}

export function diffCommand(context: Context): Command {
  const command = new Command("diff")
    .summary("compare two environments or sources")
    .description(
      "Tell what is added, removed and changed from A to B. Each is the name of an environment of the data file; " +
        "FILE:ENVIRONMENT; or the URL of a server, with the credentials that are set. Values are hidden unless --values.",
    )
    .argument("<a>", "what is taken for the old one")
    .argument("<b>", "what is taken for the new one")
    .option("--values", "show the values too")
    .option("--exit-code", "exit with 1 when there is a difference")
    .addHelpText("after", "\nExample:\n  appvars diff test production --data vars.json")
    .action(async (before: string, after: string, { values = false, exitCode = false, ...flags }) =>
      runDiff({ before, after, values, exitCode }, flags, await createDecrypt(flags, context), context),
    );
  return addSourceOptions(command);
}

/** @throws UsageError, NotFoundError and what reading either source throws */
export async function runDiff(
  options: DiffOptions,
  flags: SourceFlags,
  decrypt: Decrypt,
  context: Context,
): Promise<void> {
  const read = (place: string) =>
    withSource(context.openSource(sourceFlags(place, flags, context.io)), (source: VariableSource) =>
      readEntries(source, decrypt),
    );
  const differences = diffValues(await read(options.before), await read(options.after));
  await printDifferences(differences, options.values, context);
  if (options.exitCode && differences.length > 0) context.exitCode = 1;
}

/** The flags that open what A or B names. */
function sourceFlags(place: string, { data, env: _, url: __, ...flags }: SourceFlags, io: Io): SourceFlags {
  if (/^https?:\/\//.test(place)) return { ...flags, url: place };
  const [, file, environment] = /^(.+):([^:]+)$/.exec(place) ?? [];
  // An environment's name may hold a colon too.
  if (file && environment && (file.endsWith(".json") || existsSync(file)))
    return { ...flags, data: file, env: environment };
  return { ...flags, data: dataPath({ data }, io), env: place };
}
