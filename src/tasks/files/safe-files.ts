import { lstatSync } from "node:fs";
import { FOREIGN_OWNER, foreignWriter, ROOT, WORLD_WRITABLE } from "../../kit/files/owners.js";
import { statIfExists } from "../../kit/files/system-errors.js";
import { InvalidDataError } from "../../kit/text/errors.js";
import { command } from "../../kit/text/shell.js";
import { readSwitch, type Surroundings } from "../surroundings.js";

export type FileUser = Pick<Surroundings, "user" | "groups" | "env">;

const ALLOW_VARIABLE = "APPVARS_ALLOW_UNSAFE_FILES";

/** Whether the user trusts all others, as on a file system without modes. */
export function allowsUnsafeFiles({ env }: FileUser): boolean {
  return readSwitch(ALLOW_VARIABLE, env);
}

export interface FileRisk {
  /**
   * A message without a subject:
   * `can be changed by other users: it belongs to …`
   */
  problem: string;
  fix: string;
  /** False if allowed, and for root, who uses others' files in containers. */
  isRefused: boolean;
  /** The path and the problem, with the fix if the file is refused. */
  message: string;
}

/**
 * Returns `undefined` if no other user can change a file, if it is missing, or
 * without user ids.
 */
export function fileRisk(path: string, user: FileUser): FileRisk | undefined {
  // Another user's link could lead elsewhere the next time.
  const foreign =
    foreignWriter(statIfExists(path, lstatSync), user) ?? foreignWriter(statIfExists(path), user);
  if (!foreign) return undefined;
  const isRefused = !allowsUnsafeFiles(user) && (user.user !== ROOT || foreign === WORLD_WRITABLE);
  const safe =
    foreign === FOREIGN_OWNER ? "use a file of your own" : command`run: chmod go-w ${path}`;
  const fix = `${safe}; or set ${ALLOW_VARIABLE}=1 if you trust these users`;
  const problem = `can be changed by other users: it ${foreign}`;
  const message = `${path} ${isRefused ? `${problem}; ${fix}` : problem}`;
  return { problem, fix, isRefused, message };
}

/**
 * Returns a warning about a file to serve or change.
 *
 * @throws InvalidDataError if it is refused
 */
export function checkFileRisk(path: string, user: FileUser): string | undefined {
  const risk = fileRisk(path, user);
  if (risk?.isRefused) throw new InvalidDataError(risk.message);
  return risk?.message;
}

/** Checks a file to reload. @throws InvalidDataError without a subject */
export function requireReloadable(path: string, user: FileUser): void {
  const risk = fileRisk(path, user);
  if (risk?.isRefused) throw new InvalidDataError(`${risk.problem}; ${risk.fix}`);
}

/** Whether two paths lead to the same file, directly or by links. */
export async function isSameFile(a: string, b: string): Promise<boolean> {
  const { stat } = await import("node:fs/promises");
  // File ids on Windows may be too large for a number.
  const [one, other] = await Promise.all(
    [a, b].map((path) => stat(path, { bigint: true }).catch(() => undefined)),
  );
  return one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;
}
