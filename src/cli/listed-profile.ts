import type { SettingsObject } from "./settings-file.js";
import { HIDDEN, hidesSecret } from "./shown-setting.js";
import { DEFAULT_URL } from "./source-settings.js";

/** What is told of a profile. */
export interface ListedProfile {
  name: string;
  current: boolean;
  url?: string;
  data?: string;
  env?: string;
  api_key?: string;
}

/** No secret, and nothing but texts, whatever the file holds. */
export function listedProfile(name: string, current: boolean, settings: SettingsObject): ListedProfile {
  const texts = ["url", "data", "env", "api_key"].flatMap((key) => {
    const text = Object.hasOwn(settings, key) ? settings[key] : undefined;
    return typeof text === "string" ? [[key, key === "url" && hidesSecret(text) ? HIDDEN : text]] : [];
  });
  const shown = Object.fromEntries(texts);
  return { name, current, ...(!("data" in shown) && { url: DEFAULT_URL }), ...shown };
}
