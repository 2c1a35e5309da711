import { existsSync } from "node:fs";
import { createBudget } from "../../client/retry.js";
import { statIfExists } from "../../kit/files/system-errors.js";
import { UsageError } from "../../kit/text/errors.js";
import { type Difference, diffValues } from "../../model/differing-values.js";
import { namedValues, readVariableEntries } from "../../model/source.js";
import { valueText } from "../../model/variable.js";
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
import { defineCommand } from "../arguments/command.js";
import { SOURCE_FLAGS } from "../arguments/source-flags.js";
import { type Context, print, printLines } from "../output/context.js";

const EXAMPLE = "appvars diff test production --data vars.json";

export const definition = defineCommand({
  description: `Show the changes of variables from A to B. Each is the name of an
    environment of the data file or store; FILE:ENVIRONMENT; the URL of a store,
    then :ENVIRONMENT; or the URL of a server, with the configured credentials.
    Values are hidden without --values. A data file alone is printed by names
    for git, as its textconv.`,
  arguments: { "<a>": "the old one, or a data file alone", "[b]": "the new one" },
  flags: {
    "--values": "show the values too",
    "--missing": "only variables that have a value in one of them alone",
    "--exit-code": "exit with 1 if there is a difference",
    ...SOURCE_FLAGS,
  },
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
    const all = await compare([before, after], settings, decrypt, context);
    const differences = flags.missing ? all.filter(({ kind }) => kind !== "changed") : all;
    await printDifferences(differences, flags.values === true, context);
    if (flags.exitCode && differences.length > 0) context.exitCode = 1;
  },
});

/** The differences between two places. They may be in the same file, which is then read once. */
export async function compare(
  places: readonly [string, string],
  settings: Settings,
  decrypt: Decrypt,
  caller: Caller,
): Promise<Difference[]> {
  const shared = { budget: createBudget(), readSoFar: new Map() };
  const read = (place: string) =>
    withSource(openSource(settingsOf(place, settings, caller), caller, shared), async (source) =>
      decryptValues(namedValues(await source.readSnapshot(readVariableEntries)), decrypt),
    );
  return diffValues(await read(places[0]), await read(places[1]));
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
    // A colon after the prefix, which begins with a slash, can't belong to a host and its port.
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

const SIGNS = { added: "+", removed: "-", changed: "~" };

async function printDifferences(
  differences: readonly Difference[],
  values: boolean,
  context: Context,
): Promise<void> {
  await print(context, {
    json: differences.map((difference) => toJson(difference, values)),
    rows: differences.map((difference) => fields(difference, values)),
    lines: ({ green, red, yellow }) => {
      const styles = { added: green, removed: red, changed: yellow };
      return differences.map((difference) => ({
        text: line(difference, values),
        style: styles[difference.kind],
      }));
    },
  });
}

function toJson({ kind, name, before, after }: Difference, values: boolean): object {
  const types = {
    ...(before && { type_before: before.type }),
    ...(after && { type_after: after.type }),
  };
  if (!values) return { kind, name, ...types };
  return {
    kind,
    name,
    ...types,
    ...(before && { before: before.value }),
    ...(after && { after: after.value }),
  };
}

/** Kind, name, old and new value, for a program. */
function fields({ kind, name, before, after }: Difference, values: boolean): string[] {
  const texts = values ? [before, after].map((item) => (item ? valueText(item.value) : "")) : [];
  return [kind, name, ...texts];
}

/** `~ NAME  old -> new` for a person. */
function line({ kind, name, before, after }: Difference, values: boolean): string {
  const types =
    before && after && before.type !== after.type ? ` (${before.type} -> ${after.type})` : "";
  const shown = [before, after].flatMap((item) => (item ? [valueText(item.value)] : []));
  return `${SIGNS[kind]} ${name}${types}${values ? `  ${shown.join(" -> ")}` : ""}`;
}
