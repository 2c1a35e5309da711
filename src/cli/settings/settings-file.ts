import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../../domain/errors.js";
import { hasCode } from "../../files/system-errors.js";
import { type Layer, type Setting, shownName } from "./layers.js";
import {
  FILE_SETTINGS,
  placeOf,
  SETTING_NAMES,
  type SettingName,
  STORE_SETTINGS,
  SWITCH_SETTINGS,
} from "./setting-names.js";

/** Largest settings file, in bytes. */
const MAX_BYTES = 1_024 * 1_024;

export type SettingsObject = Readonly<Record<string, unknown>>;

/** A settings file, read once, so that what is checked is what is used. */
export interface SettingsFile {
  path: string;
  bytes: Buffer;
  /** Of the file that links lead to. */
  stats: Stats;
}

/** Thrown for a settings file that can't be read, or that another user may have written: it can be left out. */
export class UnusableFileError extends UsageError {}

/**
 * Reads a settings file; undefined if it does not exist. Synchronously, since nothing can start without it, but never
 * waits for the writer of a pipe or the end of an endless file.
 *
 * @throws UnusableFileError that names the file; UsageError if it is too large
 */
export function readSettingsFile(path: string): SettingsFile | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new UnusableFileError(`${path} can't be read: it is not a regular file`);
    if (stats.size > MAX_BYTES) throw new UsageError(`${path} is larger than ${MAX_BYTES / 1_024} KB`);
    return { path, bytes: readBytes(file, stats.size), stats };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw new UnusableFileError(`${path} can't be read (${(error as NodeJS.ErrnoException).code})`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** At most as many as the size that was checked. */
function readBytes(file: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const read = readSync(file, bytes, length, size - length, null);
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
}

/** @throws UsageError that names the file and quotes nothing of it, since it may hold a secret */
export function parseSettingsFile({ path, bytes }: SettingsFile): SettingsObject {
  try {
    return asObject(JSON.parse(bytes.toString("utf8")), path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path} is not valid JSON`);
  }
}

/** @throws UsageError if it is not one */
export function asObject(json: unknown, what: string): SettingsObject {
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json as SettingsObject;
  throw new UsageError(`${what} must be a JSON object`);
}

type FileKind = "project" | "profile";

/**
 * Reads the settings in an object of a settings file.
 *
 * @param where the object is, for messages: `in .appvars.json`
 * @param folder the one that relative paths start from
 * @throws UsageError for an unknown key, or a value that is neither a text nor a number
 */
export function readKeys(kind: FileKind, object: SettingsObject, where: string, folder: string): Layer {
  const names = new Map(SETTING_NAMES.flatMap((name) => [[placeOf(name, kind), name] as const]));
  const layer = new Map<SettingName, Setting>();
  for (const [key, value] of Object.entries(object)) {
    const name = names.get(key);
    if (key === "$schema") continue;
    if (!name) throw unknownKey(kind, key, where);
    const text = readText(name, value, `${key} ${where}`);
    const isPath = FILE_SETTINGS.includes(name) && text !== "";
    if (text !== "") layer.set(name, { name, text: isPath ? resolve(folder, text) : text, from: `${key} ${where}` });
  }
  return layer;
}

/** Empty for a setting that counts as unset. */
function readText(name: SettingName, value: unknown, from: string): string {
  if (SWITCH_SETTINGS.includes(name)) {
    if (typeof value !== "boolean") throw new UsageError(`${from} must be true or false`);
    return value ? "true" : "";
  }
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new UsageError(`${from} must be a string or a number`);
}

const IS_SECRET = ": a secret does not belong in a file that is shared; put it in a profile";
const NAMES_SECRET = ": a project can't choose which of your files is used as a secret; use a profile,";
const CHOOSES_STORE =
  ": a project can't choose a store, which would get your password, or the files for it; use a profile or";
const IS_PERSONAL = ": it is a matter of each person; put it in your own settings.json";
const SENDS_SECRET = " is not allowed: it could send the secret itself to the url in the same file";

/** Why a project can't set what a profile can. */
const NOT_IN_PROJECT: ReadonlyMap<string, string> = new Map([
  ["api_secret", IS_SECRET],
  ["enc_key", IS_SECRET],
  ["api_secret_file", `${NAMES_SECRET} --api-secret-file or APPVARS_API_SECRET`],
  ["enc_key_file", `${NAMES_SECRET} --enc-key-file or APPVARS_ENC_KEY`],
  ["tui", IS_PERSONAL],
  ["auth", SENDS_SECRET],
  ["insecure", SENDS_SECRET],
  ...(["store", ...STORE_SETTINGS] as const).map(
    (name) => [shownName(name), `${CHOOSES_STORE} ${placeOf(name, "variable")}`] as const,
  ),
]);

function unknownKey(kind: FileKind, key: string, where: string): UsageError {
  const reason = kind === "project" ? NOT_IN_PROJECT.get(key) : undefined;
  if (reason) return new UsageError(`${key} ${where}${reason}`);
  const known = SETTING_NAMES.flatMap((name) => placeOf(name, kind) ?? []);
  return new UsageError(`"${key}" ${where} is not a setting; the settings are ${known.join(", ")}`);
}
