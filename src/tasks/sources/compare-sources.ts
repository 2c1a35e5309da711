import { existsSync } from "node:fs";
import { createBudget } from "../../client/retry.js";
import { type Difference, diffValues } from "../../model/diff-values.js";
import { namedValues, readVariableEntries } from "../../model/reads/variable-entries.js";
import { dataLocationOf, locationName } from "../settings/connection.js";
import { Settings, settingsFrom } from "../settings/resolve-settings.js";
import type { GivenFlags } from "../settings/setting-table.js";
import type { Caller } from "../surroundings.js";
import { type Decrypt, decryptValues } from "./decryption.js";
import { openSource, withSource } from "./open-source.js";

/** Compares two sides. A file with both of them is read once. */
export async function compareSources(
  sides: readonly [string, string],
  settings: Settings,
  decrypt: Decrypt,
  caller: Caller,
): Promise<Difference[]> {
  const shared = { budget: createBudget(), readSoFar: new Map() };
  const read = (side: string) => {
    const opening = openSource(settingsOf(side, settings, caller), caller, shared);
    return withSource(opening, async (source) =>
      decryptValues(namedValues(await source.readSnapshot(readVariableEntries)), decrypt),
    );
  };
  return diffValues(await read(sides[0]), await read(sides[1]));
}

/** The settings of the command, with flags for this side. */
function settingsOf(side: string, settings: Settings, caller: Caller): Settings {
  const replaced = settings.findAll("url", "env").filter(({ origin }) => origin === "flag");
  const others = settings.given.filter((setting) => !replaced.includes(setting));
  return new Settings([...settingsFrom("flag", sourceFlags(side, settings)), ...others], caller);
}

function sourceFlags(side: string, settings: Settings): GivenFlags {
  if (/^https?:\/\//.test(side)) return { url: side };
  if (/^etcds?:\/\//.test(side)) {
    // A colon after the prefix, which begins with a slash, can't belong to a
    // host and its port.
    const [, store = side, env] = /^([^:]+:\/\/[^/]+\/[^:]*):(.+)$/s.exec(side) ?? [];
    return { store, env };
  }
  const [, data, env] = /^(.+):([^:]+)$/.exec(side) ?? [];
  // The name of an environment may contain a colon.
  if (data && env && (data.endsWith(".json") || existsSync(data))) return { data, env };
  const location = dataLocationOf(settings);
  return {
    [location.kind === "file" ? "data" : "store"]: locationName(location),
    env: side,
  };
}
