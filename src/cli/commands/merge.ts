import { existsSync } from "node:fs";
import { Command } from "commander";
import { UsageError } from "../../domain/errors.js";
import { command } from "../../domain/shell.js";
import { type Context, printTable } from "../output/context.js";

/** The line that makes git merge data files with this command, and show them by names. */
export const GIT_CONFIG =
  command`git config merge.appvars.driver ${"appvars merge %O %A %B %P"} && ` +
  command`git config diff.appvars.textconv ${"appvars diff"}`;

export function mergeCommand(context: Context): Command {
  return new Command("merge")
    .description(
      "Merge two branches of a data file by the names of variables, environments and keys: a merge driver for git. OURS " +
        "gets the result, without a lock, and without an entry in the history. If both have changed the same, that is " +
        "listed, OURS keeps what it has there, and the exit code is 1.",
    )
    .argument("<file...>", "BASE, the file as it was before both, or an empty one; OURS; THEIRS; the name for messages")
    .usage("<base> <ours> <theirs> [path]")
    .addHelpText("after", `\nExample:\n  ${GIT_CONFIG}`)
    .action(async ([base, ours, theirs, path, ...more]: readonly string[]) => {
      if (base === undefined || ours === undefined || theirs === undefined || more.length > 0)
        throw new UsageError("merge takes three files, and a name for messages: BASE OURS THEIRS [PATH]");
      await runMerge({ base, ours, theirs }, path, context);
    });
}

async function runMerge(
  files: Record<"base" | "ours" | "theirs", string>,
  path: string | undefined,
  context: Context,
): Promise<void> {
  const { mergeFiles } = await import("../../store/merge-data.js");
  const { dataPieces, readContent } = await import("../../store/data-file.js");
  const { writePrivateFile } = await import("../transfer/write-private-file.js");
  const { withPathInErrors } = await import("../../files/system-errors.js");
  const nameOf = (side: keyof typeof files) => (path === undefined ? files[side] : `${path} (${side})`);
  const read = (side: keyof typeof files) => readContent(files[side], nameOf(side), side === "base");
  const [base, ours, theirs] = [await read("base"), await read("ours"), await read("theirs")];
  const keys = await readKeys(path ?? files.ours);
  const merging = mergeFiles(base, ours, theirs, keys);
  const { data, conflicts } = await withPathInErrors(`${path ?? files.ours} can't be merged:`, merging);
  await writePrivateFile(files.ours, dataPieces(data), context.io);
  if (conflicts.length > 0) {
    context.exitCode = 1;
    const advice = path === undefined ? "" : `, then run: ${command`git add ${path}`}`;
    context.warn(`${nameOf("ours")} keeps its own where both have changed the same: set what should differ${advice}`);
  }
  if (conflicts.length === 0 && !context.flags.json) return;
  const rows = conflicts.map(({ record, problem }) => [record, problem]);
  await printTable(context, { json: { conflicts }, headings: ["RECORD", "CONFLICT"], rows });
}

/** The content of the key file beside a data file, if there is one. */
async function readKeys(path: string): Promise<string | undefined> {
  const { readSettingFile } = await import("../settings/secret-files.js");
  return existsSync(`${path}.key`) ? String(await readSettingFile(`${path}.key`, "the key file")) : undefined;
}
