import { UsageError } from "../../../kit/text/errors.js";
import { connectionOf } from "../../../tasks/settings/connection.js";
import { readSettings, type Settings } from "../../../tasks/settings/resolve-settings.js";
import {
  HIDDEN,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  shownText,
} from "../../../tasks/settings/setting-table.js";
import { defineCommand } from "../../arguments/command.js";
import { SOURCE_FLAGS } from "../../arguments/source-flags.js";
import { printTable } from "../../output/output.js";

export const definition = defineCommand({
  description: `Print each setting with its value, its source
    and the weaker sources that it overrides, and note problems.
    Secrets are hidden. Reads no variables; accepts the flags of
    the commands that do.`,
  flags: SOURCE_FLAGS,
  examples: ["appvars config --profile staging"],
  async run(_, flags, context) {
    const problems = new Set<string>();
    const note = (error: unknown): void => {
      if (!(error instanceof UsageError)) throw error;
      problems.add(error.message);
    };
    const caller = { ...context, note: (text: string) => void problems.add(text) };
    const all = readSettings(flags, caller, { onError: note });
    try {
      connectionOf(all);
    } catch (error) {
      note(error);
    }
    for (const problem of problems) context.note(problem);
    const names = SETTING_NAMES.filter((name) => SETTINGS[name].group === name);
    const shown = names.map((name) => describeSetting(name, all));
    await printTable(context, {
      json: { settings: shown.map(({ json }) => json), problems: [...problems] },
      headings: ["SETTING", "VALUE", "FROM", "SHADOWS"],
      rows: shown.map(({ cells }) => cells),
      absent: "(not set)",
    });
  },
});

/**
 * Describes a setting, or the one in effect in its place, with the weaker ones
 * it overrides.
 */
function describeSetting(name: SettingName, settings: Settings) {
  const [setting, ...shadows] = settings.findAll(name);
  const { key, default: byDefault } = SETTINGS[name];
  const from = byDefault === undefined ? null : "default";
  const own = setting ? toJson(setting) : { setting: key, value: byDefault ?? null, from };
  const value = setting ? (shownText(setting) ?? HIDDEN) : byDefault;
  const origins = shadows.map((shadow) => shadow.from).join(", ");
  return {
    json: { ...own, shadows: shadows.map(toJson) },
    cells: [own.setting, value, own.from ?? "", origins],
  };
}

function toJson(setting: Setting) {
  const text = shownText(setting);
  const hidden = text === undefined && { hidden: true };
  const { key } = SETTINGS[setting.name];
  return { setting: key, value: text ?? null, ...hidden, from: setting.from };
}
