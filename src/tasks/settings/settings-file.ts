import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { join, resolve } from "node:path";
import { hasCode } from "../../kit/files/system-errors.js";
import { UsageError } from "../../kit/text/errors.js";
import { ANYTHING, applyRule, BOOLEAN, pathText, type Rule, rule } from "../../kit/text/rules.js";
import { JsonError, parseJson } from "../../kit/text/strict-json.js";
import type { Surroundings } from "../surroundings.js";
import { SETTING_NAMES, SETTINGS, type Setting } from "./setting-table.js";

/** The largest settings file, in bytes. */
const MAX_BYTES = 1_024 * 1_024;

export type SettingsObject = Readonly<Record<string, unknown>>;

/**
 * A file that is read once: the content that is checked is the one that is
 * used.
 */
export interface SettingsFile {
  path: string;
  bytes: Buffer;
  /** The metadata of the file that links lead to. */
  stats: Stats;
}

export function profilesPath({ folders }: Surroundings): string {
  return join(folders.config, "profiles.json");
}

/**
 * Thrown for a settings file that can't be read, or that another user may have
 * written.
 */
export class UnusableFileError extends UsageError {}

/**
 * Reads a settings file, if it exists, without waiting for a pipe or reading an
 * endless file.
 *
 * @throws UnusableFileError; UsageError if it is too large
 */
export function readSettingsFile(path: string): SettingsFile | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(file);
    if (!stats.isFile())
      throw new UnusableFileError(`${path} can't be read: it is not a regular file`);
    if (stats.size > MAX_BYTES)
      throw new UsageError(`${path} is larger than ${MAX_BYTES / 1_024} KB`);
    // At most as many bytes as the size that was checked, which is 0 for
    // endless files in /proc.
    const bytes = Buffer.alloc(stats.size);
    return { path, bytes: bytes.subarray(0, readSync(file, bytes)), stats };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw new UnusableFileError(`${path} can't be read (${(error as NodeJS.ErrnoException).code})`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** @throws UsageError that quotes nothing: the file may hold a secret */
export function parseSettingsFile<T>({ path, bytes }: SettingsFile, form: Rule): T {
  try {
    return applyRule<T>(form, parseJson(bytes.toString("utf8")), ({ path: fields, rule }) => {
      const subject = fields.length > 0 ? `${path}: ${pathText(fields)}` : path;
      return new UsageError(`${subject} ${rule}`);
    });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new UsageError(`${path} is not valid JSON: ${error.message}`);
  }
}

/** {@link readKeys} checks its members. */
export const SETTINGS_OBJECT = rule({ members: ANYTHING, must: "be a JSON object" });

const TEXT_OR_NUMBER = rule({
  problem: (input) =>
    ["string", "number"].includes(typeof input) ? undefined : "must be a string or a number",
});

type FileOrigin = "project" | "profile";

/**
 * @param where names the object in messages: `in .appvars.json`
 * @param folder the base of relative paths
 */
export function readKeys(
  origin: FileOrigin,
  object: SettingsObject,
  where: string,
  folder: string,
): Setting[] {
  return Object.entries(object).flatMap(([key, value]) => {
    if (key === "$schema") return [];
    const name = SETTING_NAMES.find((each) => SETTINGS[each][origin] === key);
    if (!name) throw unknownKey(origin, key, where);
    const from = `${key} ${where}`;
    const { kind } = SETTINGS[name];
    const form = kind === "switch" ? BOOLEAN : TEXT_OR_NUMBER;
    applyRule(form, value, (broken) => new UsageError(`${from} ${broken.rule}`));
    const text = value === false ? "" : String(value);
    // An empty text counts as unset.
    if (text === "") return [];
    return { name, text: kind === "file" ? resolve(folder, text) : text, from, origin };
  });
}

function unknownKey(origin: FileOrigin, key: string, where: string): UsageError {
  const reason = origin === "project" && whyNotInProject(key);
  if (reason) return new UsageError(`${key} ${where}${reason}`);
  const keys = SETTING_NAMES.flatMap((name) => SETTINGS[name][origin] ?? []);
  return new UsageError(`"${key}" ${where} is not a setting; the settings are ${keys.join(", ")}`);
}

/** Explains why a project can't set a key; `undefined` for an unknown key. */
function whyNotInProject(key: string): string | undefined {
  if (key === "tui") return ": it is a personal setting; put it in your own settings.json";
  const setting = Object.values(SETTINGS).find((each) => each.key === key);
  if (!setting) return undefined;
  const { kind, isOfStore, group, flag, variable } = setting;
  if (isOfStore)
    return `: a project can't choose a store, which would get your password, or the files for it; use a profile or ${variable}`;
  if (kind === "secret")
    return ": a secret does not belong in a file that is shared; put it in a profile";
  if (kind === "file")
    return `: a project can't choose which of your files is used as a secret; use a profile, ${flag} or ${SETTINGS[group].variable}`;
  return " is not allowed: it could send the secret itself to the url in the same file";
}
