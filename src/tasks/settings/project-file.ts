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

/** The path, without links, and the content of a `.appvars.json`. */
export type ProjectContent = Pick<SettingsFile, "path" | "bytes">;

export interface ProjectFile extends SettingsFile {
  /** Why another user may have written it; `undefined` if nobody else can have. */
  foreign: string | undefined;
  /** The metadata of the path itself: the file, or a link to it. */
  entry: Stats;
}

/** @param folder a path without links */
export function findProjectFile(folder: string, account: Account): ProjectFile | undefined {
  const path = join(folder, PROJECT_FILE);
  const entry = statIfExists(path, lstatSync);
  if (!entry || entry.isDirectory()) return undefined;
  const file = readSettingsFile(path);
  if (!file) return undefined;
  const foreign = foreignWriter(entry, account) ?? foreignWriter(file.stats, account);
  return { ...file, entry, foreign };
}

/** Paths in it are relative to its folder, even if it is a link. */
export function parseProjectFile(file: SettingsFile): Setting[] {
  const settings = parseSettingsFile<SettingsObject>(file, SETTINGS_OBJECT);
  return readKeys("project", settings, `in ${file.path}`, dirname(file.path));
}

/**
 * Reads the settings of a project; `undefined` for a file that is skipped.
 *
 * A cloned project may point the client at a stranger's server, so its settings
 * are blocked until the user has allowed this content, or APPVARS_ALLOW_PROJECT
 * trusts all files. Until then a file that another user may have written is
 * skipped: one in /tmp must not block every command below it.
 *
 * @throws UsageError if the file or APPVARS_ALLOW_PROJECT breaks a rule
 */
export function readProjectFile(folder: string, caller: Caller): Setting[] | undefined {
  const file = findUsable(folder, caller);
  if (!file) return undefined;
  const { path, foreign } = file;
  const { env } = caller.surroundings;
  const allowed = readApproval(path, caller.surroundings);
  const isAllowed =
    allowed === approvalText(file) ||
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
 * Whether the owner of the folder put the file there, as in a checkout that a
 * container's root runs in. In a sticky folder such as /tmp anybody may put a
 * file.
 */
function isOfFolderOwner({ path, entry, stats }: ProjectFile): boolean {
  const folder = statSync(dirname(path));
  return (folder.mode & STICKY) === 0 && entry.uid === folder.uid && stats.uid === folder.uid;
}

/** Makes the use of these settings an error. */
function block(given: readonly Setting[], path: string, isChanged: boolean): Setting[] {
  const wanted = given.map((setting) => {
    const text = shownText(setting) ?? HIDDEN;
    const start = text.length > 200 ? `${text.slice(0, 200)}...` : text;
    return `${SETTINGS[setting.name].key} ${start}`;
  });
  const state = isChanged ? "has changed since you allowed it" : "is not allowed yet";
  const blocked =
    `${path} ${state}, and would set ${wanted.join(", ")}: read it, ` +
    `then run appvars allow (in CI set ${ALLOW_VARIABLE}=1)`;
  return given.map((setting) => ({ ...setting, from: `${setting.from} (not allowed)`, blocked }));
}

/** The folder with an approval for each allowed `.appvars.json`. */
export function allowedFolder({ folders }: Surroundings): string {
  return join(folders.config, "allowed");
}

export function approvalPath(path: string, surroundings: Surroundings): string {
  return join(allowedFolder(surroundings), sha256(path));
}

/** The content of an approval, in the format of `sha256sum`. */
export function approvalText({ path, bytes }: ProjectContent): string {
  return `${sha256(bytes)}  ${path}\n`;
}

/**
 * Reads an approval. One that can't be read, or that another user may have
 * written, allows nothing.
 */
function readApproval(path: string, surroundings: Surroundings): string | undefined {
  try {
    const file = readSettingsFile(approvalPath(path, surroundings));
    if (!file || foreignWriter(file.stats, surroundings)) return undefined;
    return file.bytes.toString("utf8");
  } catch {
    return undefined;
  }
}

function sha256(content: string | Buffer): string {
  return builtins.crypto.createHash("sha256").update(content).digest("hex");
}
