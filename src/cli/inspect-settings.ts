import { UsageError } from "../domain/errors.js";
import { layersOf, type SettingsIo } from "./layers.js";
import { profilesPath, readProfiles } from "./profiles.js";
import { findSetting, type Layer, type Setting, type SettingName, type SourceFlags } from "./settings.js";
import { DEFAULT_MAX_WAIT, DEFAULT_TIMEOUT, DEFAULT_URL, resolveSettings } from "./source-settings.js";

/** Settings of which only one can be in effect, and what is taken where none is given. */
const GROUPS: readonly { names: readonly [SettingName, ...SettingName[]]; byDefault?: string }[] = [
  { names: ["profile"] },
  { names: ["url", "data"], byDefault: DEFAULT_URL },
  { names: ["env"] },
  { names: ["apiKey"] },
  { names: ["apiSecret", "apiSecretFile"] },
  { names: ["auth"], byDefault: "hmac" },
  { names: ["encKey", "encKeyFile"] },
  { names: ["timeout"], byDefault: String(DEFAULT_TIMEOUT) },
  { names: ["maxWait"], byDefault: String(DEFAULT_MAX_WAIT) },
  { names: ["caFile"] },
];

/** A setting as it is in effect. */
export interface InspectedSetting {
  /** Of the settings that exclude each other, the one in effect. */
  name: SettingName;
  /** Undefined where it is not given. */
  given: Setting | undefined;
  byDefault: string | undefined;
  /** What weaker places give for the same, strongest first. */
  shadows: readonly Setting[];
  /** Why it can't be used. */
  problem: string | undefined;
}

export interface Inspection {
  settings: readonly InspectedSetting[];
  /** What is wrong beyond a single setting. */
  problems: readonly string[];
}

/** All settings, with where each comes from and what it shadows; also those that no command would take. */
export function inspectSettings(flags: SourceFlags, io: SettingsIo): Inspection {
  const problems = new Set<string>();
  const attempt = (read: () => Layer): Layer => {
    try {
      return read();
    } catch (error) {
      problems.add(usageMessage(error));
      return new Map();
    }
  };
  const layers = layersOf(flags, io, attempt);
  const withCurrent = [...layers, attempt(() => readCurrent(profilesPath(io)))];
  const settings = GROUPS.map(({ names, byDefault }) => inspect(names, byDefault, withCurrent));
  const together = problemOf(() => resolveSettings(layers));
  if (together && !settings.some(({ problem }) => problem === together)) problems.add(together);
  return { settings, problems: [...problems] };
}

function inspect(
  names: readonly [SettingName, ...SettingName[]],
  byDefault: string | undefined,
  layers: readonly Layer[],
): InspectedSetting {
  const [given, ...shadows] = layers.flatMap((layer) => names.flatMap((name) => layer.get(name) ?? []));
  const problem = problemOf(() => findSetting(layers, ...names)) ?? (given && problemOfOne(given));
  return { name: given?.name ?? names[0], given, byDefault, shadows, problem };
}

/** Whether a setting is what it must be, whatever the others are. */
function problemOfOne(setting: Setting): string | undefined {
  // Alone it is without the file whose environment it names.
  if (setting.name === "env") return undefined;
  return problemOf(() => resolveSettings([new Map([[setting.name, setting]])]));
}

function problemOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return usageMessage(error);
  }
}

function usageMessage(error: unknown): string {
  if (error instanceof UsageError) return error.message;
  throw error;
}

/** The profile that is taken where none is chosen, as the weakest layer. */
function readCurrent(path: string): Layer {
  const { current } = readProfiles(path);
  if (current === undefined) return new Map();
  return new Map([["profile", { name: "profile", text: current, from: `current in ${path}` }]]);
}
