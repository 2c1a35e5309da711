import { lstatSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Account, foreignWriter, STICKY } from "../../kit/files/owners.js";
import { statIfExists } from "../../kit/files/system-errors.js";
import { builtins } from "../../kit/process/builtins.js";
import { command } from "../../kit/text/shell.js";
import { type Caller, readSwitch, type Surroundings } from "../surroundings.js";
import { HIDDEN, SETTINGS, type Setting, shownText } from "./setting-table.js";
import {
  parseSettingsFile,
  readKeys,
  readSettingsFile,
  SETTINGS_OBJECT,
  type SettingsFile,
  type SettingsObject,
  UnusableFileError,
} from "./settings-file.js";

export const PROJECT_FILE = ".appvars.json";

/** Trusts all project files: for CI, where nobody can be asked. */
const ALLOW_VARIABLE = "APPVARS_ALLOW_PROJECT";

/** The `.appvars.json` that is there now: its path, without links, and its content. */
export type ProjectContent = Pick<SettingsFile, "path" | "bytes">;

export interface ProjectFile extends SettingsFile {
  /** Why another user may have written it; undefined if nobody else can have. */
  foreign: string | undefined;
  /** Metadata of the path itself: the file, or a link to it. */
  entry: Stats;
}

/**
 * Finds the `.appvars.json` of one folder. The paths in it are relative to that folder, also if the
 * file is a link.
 *
 * @param folder a path without links
 * @throws UnusableFileError if it can't be read; UsageError if it is too large
 */
export function findProjectFile(folder: string, account: Account): ProjectFile | undefined {
  const path = join(folder, PROJECT_FILE);
  const entry = statIfExists(path, lstatSync);
  if (!entry || entry.isDirectory()) return undefined;
  const file = readSettingsFile(path);
  return (
    file && {
      ...file,
      entry,
      foreign: foreignWriter(entry, account) ?? foreignWriter(file.stats, account),
    }
  );
}

/** @throws UsageError if it breaks a rule */
export function parseProjectFile(file: SettingsFile): Setting[] {
  const { path } = file;
  const settings = parseSettingsFile<SettingsObject>(file, SETTINGS_OBJECT);
  return readKeys("project", settings, `in ${path}`, dirname(path));
}

/**
 * Reads the `.appvars.json` in a folder; `undefined` for one that is skipped.
 *
 * A cloned project may point the client at a stranger's server. So its settings are blocked until
 * the user has allowed this content, or APPVARS_ALLOW_PROJECT trusts all files. Until then a file
 * that another user may have written is skipped: one in /tmp must not block every command below it.
 *
 * @throws UsageError if the file breaks a rule, or APPVARS_ALLOW_PROJECT has an unknown value
 */
export function readProjectFile(folder: string, caller: Caller): Setting[] | undefined {
  const file = findUsable(folder, caller);
  if (!file) return undefined;
  const { path, foreign } = file;
  const { env } = caller.surroundings;
  const allowed = readEntry(path, caller.surroundings);
  const isAllowed =
    allowed === entryText(file) ||
    (readSwitch(ALLOW_VARIABLE, env) && (!foreign || isOfFolderOwner(file)));
  if (!isAllowed && foreign) {
    caller.note(
      `${path} ${foreign}: it is not used until you have read it and run ${command`appvars allow ${path}`}`,
      "once",
    );
    return undefined;
  }
  const given = parseProjectFile(file);
  return isAllowed ? given : block(given, path, allowed !== undefined);
}

function findUsable(folder: string, caller: Caller): ProjectFile | undefined {
  try {
    return findProjectFile(folder, caller.surroundings);
  } catch (error) {
    if (!(error instanceof UnusableFileError)) throw error;
    caller.note(`continuing without it: ${error.message}`, "once");
    return undefined;
  }
}

/**
 * Whether the owner of the folder put the file there, as in a checkout that a container's root runs
 * in. In a sticky folder such as /tmp anybody may put a file.
 */
function isOfFolderOwner({ path, entry, stats }: ProjectFile): boolean {
  const folder = statSync(dirname(path));
  return (folder.mode & STICKY) === 0 && entry.uid === folder.uid && stats.uid === folder.uid;
}

/** Returns the same settings, which then can't be used. */
function block(given: readonly Setting[], path: string, isChanged: boolean): Setting[] {
  const wanted = given.map((setting) => {
    const text = shownText(setting) ?? HIDDEN;
    return `${SETTINGS[setting.name].key} ${text.length > 200 ? `${text.slice(0, 200)}...` : text}`;
  });
  const state = isChanged ? "has changed since you allowed it" : "is not allowed yet";
  const blocked =
    `${path} ${state}, and would set ${wanted.join(", ")}: read it, ` +
    `then run appvars allow (in CI set ${ALLOW_VARIABLE}=1)`;
  return given.map((setting) => ({ ...setting, from: `${setting.from} (not allowed)`, blocked }));
}

/** The folder with an entry for each `.appvars.json` that the user has allowed. */
export function allowedFolder({ folders }: Surroundings): string {
  return join(folders.config, "allowed");
}

/** The path of the entry for a file. A new entry replaces the old one. */
export function entryPath(path: string, surroundings: Surroundings): string {
  return join(allowedFolder(surroundings), sha256(path));
}

/** The content of an entry, in the format of `sha256sum`. */
export function entryText({ path, bytes }: ProjectContent): string {
  return `${sha256(bytes)}  ${path}\n`;
}

/** Reads an entry. One that can't be read, or that another user may have written, allows nothing. */
function readEntry(path: string, surroundings: Surroundings): string | undefined {
  try {
    const entry = readSettingsFile(entryPath(path, surroundings));
    return entry && !foreignWriter(entry.stats, surroundings)
      ? entry.bytes.toString("utf8")
      : undefined;
  } catch {
    return undefined;
  }
}

function sha256(content: string | Buffer): string {
  return builtins.crypto.createHash("sha256").update(content).digest("hex");
}
