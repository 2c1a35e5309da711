import { resolve } from "node:path";
import { escapeControls } from "../../domain/escape-controls.js";
import { isVariableName } from "../../domain/variable.js";
import { shellWord } from "../escape.js";
import { FILE_SETTINGS, type Layer, type SettingName } from "../settings.js";

/** A command for a POSIX shell that prints a variable's value. No secret is in it. */
export type GetCommand = (name: string) => string;

/**
 * @param flags what says where the value is
 * @param unset names of variables of the environment that would say otherwise
 */
export function getCommandWith(flags: readonly string[], unset: readonly string[] = []): GetCommand {
  const env = unset.length > 0 ? ["env", ...unset.flatMap((name) => ["-u", name])] : [];
  return (name) => {
    // A server may have names that can't be one; they are not to be taken for flags, or for keys by a terminal.
    const words = isVariableName(name) ? [name, ...flags] : [...flags, "--", escapeControls(name)];
    return [...env, "appvars", "get", ...words].map(shellWord).join(" ");
  };
}

/** The flags of these settings, as they were given; paths absolute, since another shell is in another folder. */
export function repeatedFlags(given: Layer, names: readonly SettingName[], folder: string): string[] {
  return names.flatMap((name) => {
    const setting = given.get(name);
    if (!setting) return [];
    return [setting.from, FILE_SETTINGS.includes(name) ? resolve(folder, setting.text) : setting.text];
  });
}
