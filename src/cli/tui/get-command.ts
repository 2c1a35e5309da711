import { resolve } from "node:path";
import { printable } from "../../domain/printable.js";
import { shellWord } from "../../domain/shell.js";
import { isVariableName } from "../../domain/variable.js";
import type { OpenPlace } from "../../tui/state/ports.js";
import { type GivenSettings, SETTINGS, type SettingName } from "../settings/setting-table.js";

/**
 * Commands for a POSIX shell. No secret is in them.
 *
 * @param flags select the source of the value
 * @param unset names of environment variables that would select another one
 */
export function getCommandWith(flags: readonly string[], unset: readonly string[] = []): OpenPlace["getCommand"] {
  const env = unset.length > 0 ? ["env", ...unset.flatMap((name) => ["-u", name])] : [];
  return (name) => {
    // A server may have invalid names: they must not be read as flags.
    const words = isVariableName(name) ? [name, ...flags] : [...flags, "--", name];
    // A terminal reads pasted control characters as keys: such a name or path becomes one that does not exist.
    return [...env, "appvars", "get", ...words].map((word) => shellWord(printable(word))).join(" ");
  };
}

/** The flags of these settings, as they were given; with absolute paths, for a shell in another folder. */
export function repeatedFlags(given: GivenSettings, names: readonly SettingName[], folder: string): string[] {
  return names.flatMap((name) => {
    const setting = given.find((each) => each.name === name && each.place === "flag");
    if (!setting) return [];
    const { is } = SETTINGS[name];
    if (is === "switch") return [setting.from];
    return [setting.from, is === "file" ? resolve(folder, setting.text) : setting.text];
  });
}
