import { constants } from "node:fs";
import { type FileHandle, lstat, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { InvalidDataError } from "../../../domain/errors.js";
import { replaceFile } from "../../../files/durable-file.js";
import type { PathRisk } from "../../../files/path-risks.js";
import { toInvalidFile } from "../../../files/system-errors.js";
import {
  ALLOW_ADVICE,
  describeRisks,
  type FileRisks,
  type FileUser,
  fileRisks,
  riskWarning,
  userName,
} from "../../sources/safe-files.js";

/**
 * Refuses to write secrets through another user's link, over another user's file (unless APPVARS_ALLOW_UNSAFE_FILES is
 * set), or into a folder in which others can replace the file.
 *
 * @returns a warning for root, who may write into another user's folder
 * @throws InvalidDataError with the reason; UsageError
 */
export function refuseForeignPlace(path: string, io: FileUser): string | undefined {
  return checkPlace(path, fileRisks(path, io));
}

function checkPlace(path: string, { refused, warned, isAllowed }: FileRisks): string | undefined {
  for (const risk of [...refused, ...warned]) {
    if (risk.kind === "link")
      throw new InvalidDataError(`${path} can't be written: ${foreign(risk)}; use another path`);
    if (risk.kind === "file" && risk.holder === "owner" && !isAllowed) {
      const advice = `remove it, use another path, or ${ALLOW_ADVICE}`;
      throw new InvalidDataError(`${path} can't be written: ${foreign(risk)}; ${advice}`);
    }
  }
  // The mode of the file does not matter: a new file replaces it.
  const ofFolders = (risks: readonly PathRisk[]) => risks.filter(({ kind }) => kind === "folder");
  const [refusing, warning] = [ofFolders(refused), ofFolders(warned)] as const;
  if (refusing.length > 0) throw new InvalidDataError(describeRisks(path, refusing));
  return warning.length > 0 ? riskWarning(path, warning) : undefined;
}

function foreign({ path, kind, id }: PathRisk): string {
  return `${path} is a ${kind} owned by ${userName(id)}`;
}

/**
 * Atomically writes or replaces a file, with mode 0600 and owned by the current user. The target of a link is replaced.
 *
 * Checks the path again as `refuseForeignPlace` does, since another user may have put a link there in the meantime. A
 * link that is put there after the check is replaced, not followed.
 *
 * @throws InvalidDataError if it can't or must not be written, or is a device, a pipe or a folder
 */
export async function writePrivateFile(path: string, text: string, io: FileUser): Promise<void> {
  const risks = fileRisks(path, io);
  checkPlace(path, risks);
  try {
    await replaceFile(await targetOf(path, risks), text);
  } catch (error) {
    throw toInvalidFile(path, error, "can't be written");
  }
}

/**
 * The same checks for a file to append to, which stays what it is: others must not be able to write it.
 *
 * @param isRunners whether a CI runner has named the file. Root may then use another user's, as in a container of GitHub
 *   Actions
 */
export function refuseToAppend(path: string, io: FileUser, isRunners: boolean): string | undefined {
  return checkAppended(path, fileRisks(path, io), isRunners);
}

function checkAppended(path: string, risks: FileRisks, isRunners: boolean): string | undefined {
  const writable = risks.refused.filter(({ kind, holder }) => kind === "file" && holder !== "owner");
  if (writable.length > 0) throw new InvalidDataError(describeRisks(path, writable));
  return checkPlace(path, isRunners ? { ...risks, warned: [] } : risks);
}

/**
 * Appends lines to a file, all of them or none, after a newline if it does not end in one. Creates it with mode 0600.
 * Checks the path again as `refuseToAppend` does.
 *
 * @throws InvalidDataError if it can't or must not be written, or is a device, a pipe or a folder
 */
export async function appendToFile(path: string, lines: string, io: FileUser, isRunners: boolean): Promise<void> {
  const risks = fileRisks(path, io);
  checkAppended(path, risks, isRunners);
  try {
    const file = await open(await targetOf(path, risks), APPEND, 0o600);
    await append(file, lines).finally(() => file.close());
  } catch (error) {
    throw toInvalidFile(path, error, "can't be written");
  }
}

// A link that another user puts there after the check is not followed. Windows has no such flag.
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

async function append(file: FileHandle, lines: string): Promise<void> {
  const { size } = await file.stat();
  const last = Buffer.from("\n");
  if (size > 0) await file.read(last, 0, 1, size - 1);
  try {
    await file.writeFile(`${last.toString() === "\n" ? "" : "\n"}${lines}`);
  } catch (error) {
    // The start of a value would take the lines of the next writer for its own.
    await file.truncate(size).catch(() => {});
    throw error;
  }
}

/** The file to write or to create. @throws InvalidDataError, the file system's error */
async function targetOf(path: string, { found, missing: [name, ...rest] }: FileRisks): Promise<string> {
  // Not of `found`: an anonymous pipe has no path.
  const isThere = await lstat(path).then(Boolean, () => false);
  if (isThere && !(await stat(path)).isFile()) throw new InvalidDataError("can't be written: it is not a regular file");
  if (name === undefined) return found;
  const target = join(found, name);
  if (rest.length === 0) return target;
  await lstat(target);
  throw new InvalidDataError(`can't be written: another program has just created ${target}`);
}
