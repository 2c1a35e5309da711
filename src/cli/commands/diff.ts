import { existsSync } from "node:fs";
import { createBudget } from "../../client/retry.js";
import { statIfExists } from "../../kit/files/system-errors.js";
import { UsageError } from "../../kit/text/errors.js";
import { diffValues } from "../../model/differing-values.js";
import { namedValues, readVariableEntries } from "../../model/source.js";
import { dataPlaceName } from "../../tasks/settings/connection.js";
import { readGiven, readSettings, Settings } from "../../tasks/settings/resolve-settings.js";
import { SOURCE_SETTINGS, type SourceFlags } from "../../tasks/settings/setting-table.js";
import {
  createDecrypt,
  type Decrypt,
  decryptValues,
  leaveEncrypted,
} from "../../tasks/sources/decryption.js";
import { openSource, withSource } from "../../tasks/sources/open-source.js";
import type { Caller } from "../../tasks/surroundings.js";
import { defineCommand, type FlagValues } from "../arguments/command.js";
import { SOURCE_FLAGS } from "../arguments/source-flags.js";
import { type Context, printLines } from "../output/context.js";
import { printDifferences } from "../output/differences.js";

const FLAGS = {
  "--values": "show the values too",
  "--missing": "only variables that have a value in one of them alone",
  "--exit-code": "exit with 1 if there is a difference",
  ...SOURCE_FLAGS,
} as const;

const EXAMPLE = "appvars diff test production --data vars.json";

export const definition = defineCommand({
  description:
    "Show the changes of variables from A to B. Each is the name of an environment of the data file or " +
    "store; FILE:ENVIRONMENT; the URL of a store, then :ENVIRONMENT; or the URL of a server, with the configured " +
    "credentials. Values are hidden without --values. A data file alone is printed by names for git, as its textconv.",
  arguments: { "<a>": "the old one, or a data file alone", "[b]": "the new one" },
  flags: FLAGS,
  examples: [EXAMPLE],
  async run({ a: before, b: after }, flags, context) {
    const isFile =
      after === undefined && Object.keys(flags).length === 0 && statIfExists(before)?.isFile();
    if (isFile) {
      const { dataByNames } = await import("../../tasks/data/data-by-names.js");
      const lines = await dataByNames(before, context.surroundings);
      return printLines(context, { json: lines, lines });
    }
    if (after === undefined)
      throw new UsageError(`missing required argument 'b'; for example: ${EXAMPLE}`);
    const settings = readSettings(flags, context);
    const isDecrypted = flags.values || !flags.missing;
    const decrypt = isDecrypted ? await createDecrypt(settings) : leaveEncrypted;
    await runDiff({ before, after, ...flags }, settings, decrypt, context);
  },
});

export async function runDiff(
  options: FlagValues<typeof FLAGS> & { before: string; after: string },
  settings: Settings,
  decrypt: Decrypt,
  context: Context,
): Promise<void> {
  const budget = createBudget();
  // Both sources may be the same file.
  const readSoFar = new Map();
  const read = (place: string) =>
    withSource(
      openSource(settingsOf(place, settings, context), context, { budget, readSoFar }),
      async (source) => {
        return decryptValues(namedValues(await source.readSnapshot(readVariableEntries)), decrypt);
      },
    );
  const all = diffValues(await read(options.before), await read(options.after));
  const differences = options.missing ? all.filter(({ kind }) => kind !== "changed") : all;
  await printDifferences(differences, options.values === true, context);
  if (options.exitCode && differences.length > 0) context.exitCode = 1;
}

/** The settings that open A or B: those of the command, with flags for this source. */
function settingsOf(place: string, settings: Settings, caller: Caller): Settings {
  const replaced = [...SOURCE_SETTINGS, "env"];
  const others = settings.given.filter(
    (each) => each.origin !== "flag" || !replaced.includes(each.name),
  );
  return new Settings([...readGiven("flag", sourceFlags(place, settings)), ...others], caller);
}

function sourceFlags(place: string, settings: Settings): SourceFlags {
  if (/^https?:\/\//.test(place)) return { url: place };
  if (/^etcds?:\/\//.test(place)) {
    // After the prefix, which begins with a slash, a colon can't belong to a host and its port.
    const [, store = place, env] = /^([^:]+:\/\/[^/]+\/[^:]*):(.+)$/s.exec(place) ?? [];
    return { store, env };
  }
  const [, file, environment] = /^(.+):([^:]+)$/.exec(place) ?? [];
  // The name of an environment may contain a colon.
  if (file && environment && (file.endsWith(".json") || existsSync(file)))
    return { data: file, env: environment };
  const { dataPlace } = settings;
  return { [dataPlace.kind === "file" ? "data" : "store"]: dataPlaceName(dataPlace), env: place };
}
