import { lstatSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { command } from "../../domain/shell.js";
import { type Account, foreignWriter, STICKY, statIfExists } from "../../files/owners.js";
import { type Io, isFolderGone } from "../output/io.js";
import { permissionFor } from "./allowed-projects.js";
import { HIDDEN, readSwitch, type Setting, settingKey, shownText } from "./setting-table.js";
import {
  parseSettingsFile,
  readKeys,
  readSettingsFile,
  type SettingsFile,
  UnusableFileError,
} from "./settings-file.js";

export const PROJECT_FILE = ".appvars.json";

/** Trusts all project files: for CI, where nobody can be asked. */
const ALLOW_VARIABLE = "APPVARS_ALLOW_PROJECT";

type ProjectIo = Account & Pick<Io, "cwd" | "env" | "folders" | "notice">;

export interface ProjectFile extends SettingsFile {
  /** Why another user may have written it; undefined if nobody else can have. */
  foreign: string | undefined;
  /** Metadata of the path itself: the file, or a link to it. */
  entry: Stats;
}

/**
 * The settings of the `.appvars.json` in this folder or the nearest above it.
 *
 * A cloned project may contain one that points the client at a stranger's server. So its settings are blocked until the
 * user has allowed this content of the file, or APPVARS_ALLOW_PROJECT trusts all of them. Until then a file that another
 * user may have written is skipped: one in /tmp must not block every command below it.
 *
 * @throws UsageError if the file breaks a rule, or APPVARS_ALLOW_PROJECT has an unknown value
 */
export function readProjectFile(io: ProjectIo): Setting[] {
  if (!hasFolder(io)) return [];
  for (let folder = io.cwd; ; folder = dirname(folder)) {
    const file = findUsable(folder, io);
    const given = file && readAllowed(file, io);
    if (given) return given;
    if (folder === dirname(folder)) return [];
  }
}

/** False if the current folder has been deleted; then no folder above it is searched either. */
export function hasFolder(io: Pick<Io, "cwd">): boolean {
  try {
    return io.cwd !== "";
  } catch (error) {
    if (isFolderGone(error)) return false;
    throw error;
  }
}

/**
 * The `.appvars.json` of one folder; undefined if there is none. If it is a link, its own place counts, not its target:
 * the paths in it are relative to that folder, and another user may have made the link.
 *
 * @param folder a path without links, as that of the current folder is
 * @throws UnusableFileError if it can't be read; UsageError if it is too large
 */
export function findProjectFile(folder: string, account: Account): ProjectFile | undefined {
  const path = join(folder, PROJECT_FILE);
  const entry = statIfExists(path, lstatSync);
  if (!entry || entry.isDirectory()) return undefined;
  const file = readSettingsFile(path);
  return file && { ...file, entry, foreign: foreignWriter(entry, account) ?? foreignWriter(file.stats, account) };
}

/** The settings of a project's file, in the order of the file. @throws UsageError if it breaks a rule */
export function parseProjectFile(file: SettingsFile): Setting[] {
  return readKeys("project", parseSettingsFile(file), `in ${file.path}`, dirname(file.path));
}

function findUsable(folder: string, io: ProjectIo): ProjectFile | undefined {
  try {
    return findProjectFile(folder, io);
  } catch (error) {
    if (!(error instanceof UnusableFileError)) throw error;
    io.notice?.(`continuing without it: ${error.message}`);
    return undefined;
  }
}

/** Undefined for a file that is skipped. */
function readAllowed(file: ProjectFile, io: ProjectIo): Setting[] | undefined {
  const permission = permissionFor(file, io);
  if (permission === "allowed") return parseProjectFile(file);
  const isTrusted = readSwitch(ALLOW_VARIABLE, io.env) && (file.foreign === undefined || isOfFolderOwner(file));
  if (isTrusted) return parseProjectFile(file);
  if (file.foreign === undefined) return block(parseProjectFile(file), file.path, permission === "changed");
  io.notice?.(
    `${file.path} ${file.foreign}: it is not used until you have read it and run ${command`appvars allow ${file.path}`}`,
  );
  return undefined;
}

/**
 * Whether the owner of the folder put the file there, as in a checkout that a container's root runs in. Owners of
 * folders above could replace the folder as well. In a sticky folder such as /tmp anybody may put a file.
 */
function isOfFolderOwner({ path, entry, stats }: ProjectFile): boolean {
  const folder = statSync(dirname(path));
  return (folder.mode & STICKY) === 0 && entry.uid === folder.uid && stats.uid === folder.uid;
}

/** The same settings, none of which can be used. */
function block(given: readonly Setting[], path: string, isChanged: boolean): Setting[] {
  const wanted = given.map((setting) => `${settingKey(setting.name)} ${shorten(shownText(setting) ?? HIDDEN)}`);
  const state = isChanged ? "has changed since you allowed it" : "is not allowed yet";
  const blocked =
    `${path} ${state}, and would set ${wanted.join(", ")}: read it, ` +
    `then run appvars allow (in CI set ${ALLOW_VARIABLE}=1)`;
  return given.map((setting) => ({ ...setting, from: `${setting.from} (not allowed)`, blocked }));
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}
