import { resolve } from "node:path";
import { printable } from "../../kit/text/printable.js";
import { shellWord } from "../../kit/text/shell.js";
import { isVariableName } from "../../model/variable.js";
import {
  SETTINGS,
  type Setting,
  type SettingList,
  type SettingName,
} from "../../tasks/settings/setting-table.js";
import type { Surroundings } from "../../tasks/surroundings.js";
import type { GetCommand } from "./open-place.js";

/**
 * Makes `appvars get` commands for a POSIX shell, without secrets.
 *
 * @param flags select the source
 * @param unset environment variables that would select another source
 */
export function getCommandWith(
  flags: readonly string[],
  unset: readonly string[] = [],
): GetCommand {
  const env = unset.length > 0 ? ["env", ...unset.flatMap((name) => ["-u", name])] : [];
  return (name) => {
    // A server may send invalid names, which must not be taken as flags.
    const words = isVariableName(name) ? [name, ...flags] : [...flags, "--", name];
    // A terminal takes pasted control characters as keys. Escaped, the name or
    // path is invalid, but safe.
    return [...env, "appvars", "get", ...words].map((word) => shellWord(printable(word))).join(" ");
  };
}

/**
 * The flags that repeat settings, with absolute paths, so that they work in any
 * folder.
 */
export function repeatedFlags(
  given: SettingList,
  names: readonly SettingName[],
  { cwd }: Surroundings,
  origins: readonly Setting["origin"][] = ["flag"],
): string[] {
  return names.flatMap((name) => {
    const setting = given.find((each) => each.name === name);
    const { kind, flag } = SETTINGS[name];
    if (!setting || !flag || !origins.includes(setting.origin)) return [];
    return kind === "switch"
      ? [flag]
      : [flag, kind === "file" ? resolve(cwd(), setting.text) : setting.text];
  });
}
