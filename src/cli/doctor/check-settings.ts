import { DEFAULT_URL } from "../source-settings.js";
import { type Finding, ok, problem } from "./finding.js";
import type { SettingsFacts } from "./gather-settings.js";

/** Whether the settings can be used; which they are, or one finding for each thing that is wrong with them. */
export function checkSettings({
  errors,
  settings,
  place,
}: Pick<SettingsFacts, "errors" | "settings" | "place">): Finding[] {
  if (errors.length > 0) {
    return errors.map(({ code, message }) => problem(code, message, "correct that setting"));
  }
  const from = place ? `from ${place.from}` : "the default";
  return [
    ok(
      settings?.kind === "local"
        ? `data file ${settings.data} (${from})`
        : `server ${place?.text ?? DEFAULT_URL} (${from})`,
    ),
  ];
}
