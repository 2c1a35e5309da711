import { UsageError } from "../../domain/errors.js";
import { withNotice } from "../output/io.js";
import { connectionOf } from "./connection.js";
import { findSetting, type GivenSettings, type Setting, type SourceFlags, shownText } from "./setting.js";
import { definitionOf, keyOf, SETTING_NAMES, type SettingName } from "./setting-table.js";
import { readAll, type SettingsIo } from "./settings.js";

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
  const readFile = (read: () => Setting[]): Setting[] => {
    try {
      return read();
    } catch (error) {
      problems.add(usageMessage(error));
      return [];
    }
  };
  const noticing = withNotice(io, (text) => void problems.add(text));
  const given = readAll(flags, noticing, readFile);
  const settings = inspectSettings(given);
  const together = problemOf(() => connectionOf(given));
  if (together && !settings.some(({ problem }) => problem === together)) problems.add(together);
  return { settings, problems: [...problems] };
}

/** The same for settings that have been read. */
export function inspectSettings(given: GivenSettings): InspectedSetting[] {
  const firsts = SETTING_NAMES.filter((name) => definitionOf(name).insteadOf === undefined);
  return firsts.map((first) => {
    const names = SETTING_NAMES.filter((name) => name === first || definitionOf(name).insteadOf === first);
    const [strongest, ...shadows] = given.filter(({ name }) => names.includes(name));
    // What the whole file would set is reported once.
    const problem = strongest?.blocked
      ? "not allowed"
      : (problemOf(() => findSetting(given, ...names)) ?? (strongest && problemOfOne(strongest)));
    return {
      name: strongest?.name ?? first,
      given: strongest,
      byDefault: definitionOf(first).otherwise,
      shadows,
      problem,
    };
  });
}

/** Why a setting can't be used, whatever the others are. */
function problemOfOne(setting: Setting): string | undefined {
  // On its own it lacks the data file, or the other half of the pair.
  if (["env", "clientCert", "clientKey"].includes(setting.name)) return undefined;
  return problemOf(() => connectionOf([{ ...setting, place: "flag" }]));
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
    ...(given ? givenJson(given) : { setting: keyOf(name), value: byDefault ?? null }),
    from: given?.from ?? (byDefault === undefined ? null : "default"),
    shadows: shadows.map((setting) => ({ ...givenJson(setting), from: setting.from })),
    ...(problem !== undefined && { problem }),
  };
}

function givenJson(setting: Setting): object {
  const text = shownText(setting);
  return { setting: keyOf(setting.name), value: text ?? null, ...(text === undefined && { hidden: true }) };
}
