import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import { tooLargeError, UsageError } from "../text/errors.js";

/** The name of this program's folder in each of the user's folders. */
const FOLDER = "appvars";

/** Returns the surroundings of this process. Reading them has no effect on it. */
export function thisProcess() {
  const { env, platform } = process;
  return {
    env: env as Record<string, string | undefined>,
    platform,
    cwd: process.cwd,
    folders: userFolders(process.env, platform),
    /** `undefined` on Windows. */
    user: process.getuid?.(),
    groups: process.getgroups?.() ?? [],
    clock: Date.now,
    ticks: () => performance.now(),
    // A function: creating the stream takes Node 2 ms.
    readStdin: (maxBytes: number) => readStream(process.stdin, maxBytes),
  };
}

/**
 * Stands for a missing home: nothing exists in it, and nothing can be created.
 */
const NO_HOME = "/dev/null";
const NO_HOME_ON_WINDOWS = "\\\\.\\nul";

/**
 * The variable that names the parent of the program's folder, the default
 * parent in the home, and a folder inside the program's.
 */
type Folder = readonly [variable: string, inHome: string, inside?: string];
type Folders = Record<"config" | "cache", Folder>;

const XDG_FOLDERS: Folders = {
  config: ["XDG_CONFIG_HOME", ".config"],
  cache: ["XDG_CACHE_HOME", ".cache"],
};

const OTHER_FOLDERS: Partial<Record<NodeJS.Platform, Folders>> = {
  darwin: {
    config: ["", "Library/Preferences"],
    cache: ["", "Library/Caches"],
  },
  win32: {
    config: ["APPDATA", "AppData/Roaming", "Config"],
    cache: ["LOCALAPPDATA", "AppData/Local", "Cache"],
  },
};

/**
 * Returns the user's folders for this program, by the XDG Base Directory
 * Specification or the rules of macOS and Windows. Relative paths are ignored:
 * they would be inside the project.
 *
 * @param findHome throws for a user who has no HOME and is not in the user
 *   database, as in many containers
 */
export function userFolders(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
  findHome = homedir,
): { config: string; cache: string } {
  const { isAbsolute, join } = platform === "win32" ? win32 : posix;
  let home = "";
  try {
    home = findHome();
  } catch {}
  if (!isAbsolute(home)) home = platform === "win32" ? NO_HOME_ON_WINDOWS : NO_HOME;
  const folders = { config: "", cache: "" };
  for (const kind of ["config", "cache"] as const) {
    const [variable, inHome, inside = ""] = (OTHER_FOLDERS[platform] ?? XDG_FOLDERS)[kind];
    const parent = env[variable] ?? "";
    folders[kind] = join(isAbsolute(parent) ? parent : join(home, inHome), FOLDER, inside);
  }
  return folders;
}

/** @throws UsageError if the user has no folder for configuration */
export function refuseNoHome({ config }: { config: string }): void {
  const isOnWindows = config.startsWith(`${NO_HOME_ON_WINDOWS}\\`);
  if (!isOnWindows && !config.startsWith(`${NO_HOME}/`)) return;
  const variables = isOnWindows ? "USERPROFILE or APPDATA" : "HOME or XDG_CONFIG_HOME";
  throw new UsageError(`there is no home folder to store this in: set ${variables}`);
}

/**
 * Refuses an argument or environment variable that was not UTF-8: Node replaces
 * its bytes.
 *
 * @throws UsageError
 */
export function checkDecoded(text: string | undefined, what: string): void {
  if (text?.includes("\ufffd"))
    throw new UsageError(`${what} is not valid UTF-8, or contains U+FFFD`);
}

/**
 * Reads all of a stream.
 *
 * @throws InvalidDataError without a subject for more than `maxSize` bytes
 */
export async function readStream(
  stream: AsyncIterable<Uint8Array | string>,
  maxSize: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    total += bytes.length;
    if (total > maxSize) throw tooLargeError(total, maxSize);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads proc_pid_stat(5). Returns `undefined` for a missing or hidden process,
 * and on systems without /proc.
 */
export function readProcessStat(pid: number | "self") {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program is in parentheses, and may contain spaces and
    // parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state = "", parent, group, , , foregroundGroup] = fields;
    return {
      pid: Number.parseInt(stat, 10),
      name: stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")")),
      /** `Z` or `X` once it has ended, `T` or `t` while it is stopped. */
      state,
      parent: Number(parent),
      group: Number(group),
      /** The group in the foreground of its terminal; -1 without one. */
      foregroundGroup: Number(foregroundGroup),
      /** The start time in clock ticks since the boot: process ids are reused. */
      startedAt: fields[19] ?? "",
    };
  } catch {
    return undefined;
  }
}
