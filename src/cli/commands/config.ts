import { UsageError } from "../../kit/text/errors.js";
import { readSettings } from "../../tasks/settings/resolve-settings.js";
import {
  type GivenSettings,
  HIDDEN,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  shownText,
} from "../../tasks/settings/setting-table.js";
import { defineCommand } from "../arguments/command.js";
import { SOURCE_FLAGS } from "../arguments/source-flags.js";
import { printTable } from "../output/context.js";

export const definition = defineCommand({
  description: `Print each setting with its value, its source and the weaker
    sources that it overrides, and note problems. Secrets are hidden. Reads no
    variables; accepts the flags of the commands that do.`,
  flags: SOURCE_FLAGS,
  examples: ["appvars config --profile staging"],
  async run(_, flags, context) {
    const problems = new Set<string>();
    const note = (error: unknown): void => {
      if (!(error instanceof UsageError)) throw error;
      problems.add(error.message);
    };
    const caller = { ...context, note: (text: string) => void problems.add(text) };
    const all = readSettings(flags, caller, note);
    try {
      all.check();
    } catch (error) {
      note(error);
    }
    for (const problem of problems) context.note(problem);
    const settings = inEffect(all.given);
    const json = { settings: settings.map(toJson), problems: [...problems] };
    const headings = ["SETTING", "VALUE", "FROM", "SHADOWS"];
    await printTable(context, { json, headings, rows: settings.map(cells), absent: "(not set)" });
  },
});

interface ShownSetting {
  /** The setting in effect, if several exclude each other. */
  name: SettingName;
  given: Setting | undefined;
  /** Undefined if there is no default, or it is given. */
  byDefault: string | undefined;
  /** The same setting in weaker places, strongest first. */
  shadows: readonly Setting[];
}

function inEffect(all: GivenSettings): ShownSetting[] {
  const firsts = SETTING_NAMES.filter((name) => SETTINGS[name].group === name);
  return firsts.map((first) => {
    const [given, ...shadows] = all.filter(({ name }) => SETTINGS[name].group === first);
    return {
      name: given?.name ?? first,
      given,
      byDefault: given ? undefined : SETTINGS[first].default,
      shadows,
    };
  });
}

function cells({ name, given, byDefault, shadows }: ShownSetting): (string | undefined)[] {
  const value = given ? (shownText(given) ?? HIDDEN) : byDefault;
  const from = given?.from ?? (byDefault === undefined ? "" : "default");
  return [SETTINGS[name].key, value, from, shadows.map((setting) => setting.from).join(", ")];
}

function toJson({ name, given, byDefault, shadows }: ShownSetting): object {
  const own = given ? givenJson(given) : { setting: SETTINGS[name].key, value: byDefault ?? null };
  return {
    ...own,
    from: given?.from ?? (byDefault === undefined ? null : "default"),
    shadows: shadows.map(givenJson),
  };
}

function givenJson(setting: Setting): object {
  const text = shownText(setting);
  const hidden = text === undefined && { hidden: true };
  return {
    setting: SETTINGS[setting.name].key,
    value: text ?? null,
    ...hidden,
    from: setting.from,
  };
}
