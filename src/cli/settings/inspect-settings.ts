import { DEFAULT_MAX_WAIT, DEFAULT_TIMEOUT, DEFAULT_URL } from "../../domain/defaults.js";
import { UsageError } from "../../domain/errors.js";
import { withNotice } from "../output/io.js";
import { connectionOf } from "./connection.js";
import {
  findSetting,
  type Layer,
  type Layers,
  layerList,
  NO_LAYERS,
  type Setting,
  type SourceFlags,
  shownName,
  shownText,
} from "./layers.js";
import type { SettingName } from "./setting-names.js";
import { readLayers, type SettingsIo } from "./settings.js";

/** Settings of which only one can be in effect, and the default. */
const GROUPS: readonly { names: readonly [SettingName, ...SettingName[]]; byDefault?: string }[] = [
  { names: ["profile"] },
  { names: ["url", "data", "store"], byDefault: DEFAULT_URL },
  { names: ["env"] },
  { names: ["apiKey"] },
  { names: ["apiSecret", "apiSecretFile"] },
  { names: ["auth"], byDefault: "hmac" },
  { names: ["insecure"], byDefault: "false" },
  { names: ["encKey", "encKeyFile"] },
  { names: ["timeout"], byDefault: String(DEFAULT_TIMEOUT) },
  { names: ["maxWait"], byDefault: String(DEFAULT_MAX_WAIT) },
  { names: ["caFile"] },
  { names: ["clientCert"] },
  { names: ["clientKey"] },
  { names: ["storeKeyFile"] },
  { names: ["storeUser"] },
  { names: ["storePassword", "storePasswordFile"] },
  { names: ["storeCaFile"] },
  { names: ["storeClientCert"] },
  { names: ["storeClientKey"] },
];

/** A setting as it is in effect. */
export interface InspectedSetting {
  /** Of settings that exclude each other, the one in effect. */
  name: SettingName;
  /** Undefined if it is not given. */
  given: Setting | undefined;
  byDefault: string | undefined;
  /** What weaker places give for it, strongest first. */
  shadows: readonly Setting[];
  /** Why it can't be used. */
  problem: string | undefined;
}

export interface Inspection {
  settings: readonly InspectedSetting[];
  /** Problems that are not those of a single setting. */
  problems: readonly string[];
}

/** All settings, where each comes from and what it shadows; also those that no command could use. */
export function inspectFlags(flags: SourceFlags, io: SettingsIo): Inspection {
  const problems = new Set<string>();
  const readFile = (read: () => Layer): Layer => {
    try {
      return read();
    } catch (error) {
      problems.add(usageMessage(error));
      return new Map();
    }
  };
  const noticing = withNotice(io, (text) => void problems.add(text));
  const layers = readLayers(flags, noticing, readFile);
  const settings = inspectLayers(layers);
  const together = problemOf(() => connectionOf(layers));
  if (together && !settings.some(({ problem }) => problem === together)) problems.add(together);
  return { settings, problems: [...problems] };
}

/** The same for settings that have been read. */
export function inspectLayers(layers: Layers): InspectedSetting[] {
  const all = { ...layers, profile: new Map([...layers.profile, ...layers.current]) };
  return GROUPS.map(({ names, byDefault }) => inspect(names, byDefault, all));
}

function inspect(
  names: readonly [SettingName, ...SettingName[]],
  byDefault: string | undefined,
  layers: Layers,
): InspectedSetting {
  const [given, ...shadows] = layerList(layers).flatMap((layer) => names.flatMap((name) => layer.get(name) ?? []));
  // What the whole file would set is reported once.
  const isBlocked = given?.blocked !== undefined;
  const problem = isBlocked
    ? "not allowed"
    : (problemOf(() => findSetting(layers, ...names)) ?? (given && problemOfOne(given)));
  return { name: given?.name ?? names[0], given, byDefault, shadows, problem };
}

/** Why a setting can't be used, whatever the others are. */
function problemOfOne(setting: Setting): string | undefined {
  // On its own it lacks the data file, or the other half of the pair.
  if (["env", "clientCert", "clientKey"].includes(setting.name)) return undefined;
  return problemOf(() => connectionOf({ ...NO_LAYERS, flags: new Map([[setting.name, setting]]) }));
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

export function settingJson({ name, given, byDefault, shadows, problem }: InspectedSetting): object {
  return {
    ...(given ? givenJson(given) : { setting: shownName(name), value: byDefault ?? null }),
    from: given?.from ?? (byDefault === undefined ? null : "default"),
    shadows: shadows.map((setting) => ({ ...givenJson(setting), from: setting.from })),
    ...(problem !== undefined && { problem }),
  };
}

function givenJson(setting: Setting): object {
  const text = shownText(setting);
  return { setting: shownName(setting.name), value: text ?? null, ...(text === undefined && { hidden: true }) };
}
