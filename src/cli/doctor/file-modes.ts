import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { command } from "../../domain/shell.js";
import { looseMode } from "../../files/owners.js";
import { type FileUser, fileRisk } from "../editing/safe-files.js";
import type { Io } from "../output/io.js";
import { type Finding, ok, problem, skipped, warning } from "./finding.js";

/** A file or folder that only its owner should have access to. */
export interface PrivatePath {
  path: string;
  /** Its mode, such as `0644`, if others have access. */
  loose: string | undefined;
  isFolder: boolean;
}

/**
 * Reads the modes of files with secrets and of the folder of the profiles. Those that do not exist are omitted.
 *
 * @param files with secrets
 * @param profiles path of the file of profiles
 */
export function gatherModes(files: readonly string[], profiles: string): PrivatePath[] {
  const candidates = [...new Set([...files, profiles])].map((path) => ({ path, isFolder: false }));
  const present = [...candidates, { path: dirname(profiles), isFolder: true }]
    .filter(({ path }) => existsSync(path))
    .map((candidate) => ({ ...candidate, loose: looseMode(candidate.path) }));
  // The folder matters only because of the file in it.
  return present.filter(({ isFolder }) => !isFolder || present.some(({ path }) => path === profiles));
}

/** A finding for each path that others have access to, or one for all paths if there are none. */
export function checkFileModes(paths: readonly PrivatePath[], { platform }: Pick<Io, "platform">): Finding[] {
  const loose = paths.filter((path) => path.loose !== undefined);
  if (loose.length > 0) {
    return loose.map(({ path, loose: mode, isFolder }) => {
      const message = `other users have access to ${path} (mode ${mode})`;
      return warning(message, command`chmod ${isFolder ? "700" : "600"} ${path}`);
    });
  }
  if (paths.length === 0) return [skipped("no file with a secret is in use")];
  if (platform === "win32")
    return [skipped("modes say nothing on Windows: icacls FILE shows who has access to a file")];
  return [ok(`only you can read and write ${paths.map(({ path }) => path).join(", ")}`)];
}

/**
 * What lets other users change these files.
 *
 * @param data path of the data file: `serve` and the commands that change it refuse such a file
 */
export function checkFileRisks(paths: readonly PrivatePath[], data: string | undefined, io: FileUser): Finding[] {
  return paths
    .filter(({ isFolder }) => !isFolder)
    .flatMap(({ path }) => {
      const risk = fileRisk(path, io);
      if (!risk) return [];
      const message = `${path} ${risk.problem}`;
      const isProblem = path === data && risk.isRefused;
      return [isProblem ? problem("invalid_data", message, risk.fix) : warning(message, risk.fix)];
    });
}
