import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../domain/errors.js";
import { FILE_SETTINGS, type Layer, placeOf, SETTING_NAMES, type Setting, type SettingName } from "./settings.js";

/** A JSON object in a file with settings. */
export type SettingsObject = Readonly<Record<string, unknown>>;

/**
 * Reads a file that holds a JSON object; undefined where there is none. At once, since it is needed before anything
 * else can begin.
 *
 * @throws UsageError that names the file, and quotes nothing of it: there may be a secret in it
 */
export function readSettingsObject(path: string): SettingsObject | undefined {
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  try {
    return asObject(JSON.parse(text), path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path} is not valid JSON`);
  }
}

/** @throws UsageError when it is none */
export function asObject(json: unknown, what: string): SettingsObject {
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json as SettingsObject;
  throw new UsageError(`${what} must be a JSON object`);
}

/**
 * The settings that an object gives, each under the key that this kind of place has for it.
 *
 * @param where of the object, for messages: `in .appvars.json`
 * @param folder what the paths in it are relative to
 * @throws UsageError for a key that there is not, or a value that is neither text nor a number
 */
export function readKeys(kind: "project" | "key", object: SettingsObject, where: string, folder: string): Layer {
  const names = new Map(SETTING_NAMES.flatMap((name) => [[placeOf(name, kind), name] as const]));
  const layer = new Map<SettingName, Setting>();
  for (const [key, value] of Object.entries(object)) {
    const name = names.get(key);
    if (key === "$schema") continue;
    if (!name) throw unknownKey(kind, key, where);
    if (typeof value !== "string" && typeof value !== "number") {
      throw new UsageError(`${key} ${where} must be a text or a number`);
    }
    const text = FILE_SETTINGS.includes(name) ? resolve(folder, String(value)) : String(value);
    if (value !== "") layer.set(name, { name, text, from: `${key} ${where}` });
  }
  return layer;
}

function unknownKey(kind: "project" | "key", key: string, where: string): UsageError {
  if (kind === "project" && (key === "api_secret" || key === "enc_key")) {
    return new UsageError(`${key} ${where}: a secret does not belong in a file that is shared; put it in a profile`);
  }
  if (kind === "project" && key === "auth") {
    return new UsageError(`auth ${where} is not taken: it could send the secret itself to whatever url is there`);
  }
  const known = SETTING_NAMES.flatMap((name) => placeOf(name, kind) ?? []);
  return new UsageError(`"${key}" ${where} is no setting; there is ${known.join(", ")}`);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new UsageError(`${path} can't be read (${code})`);
  }
}
