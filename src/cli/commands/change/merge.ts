import { UsageError } from "../../../kit/text/errors.js";
import { command } from "../../../kit/text/shell.js";
import { GIT_CONFIG } from "../../../store/schema/git-config.js";
import { parseDataLocation } from "../../../tasks/settings/connection.js";
import { readProfile, readSettings } from "../../../tasks/settings/resolve-settings.js";
import { defineCommand } from "../../arguments/command.js";
import { SEAL_KEY_FILE } from "../../arguments/source-flags.js";
import { printTable } from "../../output/output.js";

export const definition = defineCommand({
  description: `Merge two branches of a data file by the names
    of variables, environments and keys: a merge driver for git.
    Writes the result to OURS, without a lock or an entry in the
    history. Lists conflicting changes, for which OURS keeps its
    version; the exit code is then 1.`,
  usage: "[options] <base> <ours> <theirs> [path]",
  arguments: {
    "<file...>": "BASE, the common ancestor or an empty file; OURS; THEIRS; the name for messages",
  },
  flags: SEAL_KEY_FILE,
  examples: [GIT_CONFIG],
  async run({ file: files }, flags, context) {
    const [base = "", ours, theirs, path, ...more] = files;
    if (ours === undefined || theirs === undefined || more.length > 0)
      throw new UsageError(
        "merge takes three files, and a name for messages: BASE OURS THEIRS [PATH]",
      );
    // A `.appvars.json` may be in conflict, too.
    const settings = readSettings(flags, context, { files: [readProfile] });
    const { sealKey } = parseDataLocation(path ?? ours, "OURS", settings);
    const { mergeDataFiles } = await import("../../../tasks/data/merge-data-files.js");
    const conflicts = await mergeDataFiles({ base, ours, theirs }, path, sealKey, context);
    if (conflicts.length > 0) {
      context.exitCode = 1;
      const advice = path === undefined ? "" : `, then run: ${command`git add ${path}`}`;
      const conflict = "keeps our version of the conflicting changes";
      context.warn(`${path ?? ours} ${conflict}: set what should differ${advice}`);
    }
    if (conflicts.length === 0 && !context.flags.json) return;
    const rows = conflicts.map(({ record, problem }) => [record, problem]);
    await printTable(context, { json: { conflicts }, headings: ["RECORD", "CONFLICT"], rows });
  },
});
