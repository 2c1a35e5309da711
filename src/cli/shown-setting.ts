import type { InspectedSetting } from "./inspect-settings.js";
import { SECRET_SETTINGS, type Setting, type SettingName } from "./settings.js";

export const HIDDEN = "(hidden)";

/** What a setting is called where its value is shown: `max_wait`, as in the files with settings. */
export function shownName(name: SettingName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The text of a setting; undefined where there is, or may be, a secret in it. */
export function shownText({ name, text }: Pick<Setting, "name" | "text">): string | undefined {
  return SECRET_SETTINGS.includes(name) || (name === "url" && hidesSecret(text)) ? undefined : text;
}

/** A URL with a password or a token in it is refused when it is used; until then it is there. */
export function hidesSecret(url: string): boolean {
  return /[@?#]/.test(url);
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
