import { lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { InvalidDataError } from "../../domain/errors.js";
import { AppendFile } from "../../files/append-file.js";
import { replaceFile } from "../../files/durable-file.js";
import { lstatIfExists, type PathRisk } from "../../files/path-risks.js";
import { toInvalidFile } from "../../files/system-errors.js";
import {
  ALLOW_ADVICE,
  describeRisks,
  type FileRisks,
  type FileUser,
  fileRisks,
  riskWarning,
  userName,
} from "../editing/safe-files.js";

/**
 * Refuses to write secrets through another user's link, over another user's file (unless APPVARS_ALLOW_UNSAFE_FILES is
 * set), or into a folder in which others can replace the file; and what can't be written.
 *
 * @returns a warning for root, who may write into another user's folder
 * @throws InvalidDataError with the reason; UsageError
 */
export function refuseForeignPlace(path: string, io: FileUser): string | undefined {
  const risks = fileRisks(path, io);
  const warning = checkPlace(path, risks);
  targetOf(path, risks);
  return warning;
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
  const target = targetOf(path, risks);
  try {
    await replaceFile(target, text);
  } catch (error) {
    throw toInvalidFile(path, error, "can't be written");
  }
}

/**
 * The same checks for a file to append to, which stays what it is: others must not be able to write it.
 *
 * @param isRunners whether a CI runner has named the file. Root may then use another user's, as in a container of GitHub
 *   Actions, but not follow their link
 */
export function refuseToAppend(path: string, io: FileUser, isRunners: boolean): string | undefined {
  const risks = fileRisks(path, io);
  const warning = checkAppended(path, risks, isRunners);
  targetOf(path, risks);
  return warning;
}

function checkAppended(path: string, risks: FileRisks, isRunners: boolean): string | undefined {
  const writable = risks.refused.filter(({ kind, holder }) => kind === "file" && holder !== "owner");
  if (writable.length > 0) throw new InvalidDataError(describeRisks(path, writable));
  const warned = isRunners ? risks.warned.filter(({ kind }) => kind === "link") : risks.warned;
  return checkPlace(path, { ...risks, warned });
}

/**
 * Opens a file to append lines to, which is created with mode 0600. Checks the path again as `refuseToAppend` does. A
 * link that another user puts there after the check is not followed.
 *
 * @throws InvalidDataError if it can't or must not be written, or is a device, a pipe or a folder
 */
export function openToAppend(path: string, io: FileUser, isRunners: boolean): AppendFile {
  const risks = fileRisks(path, io);
  checkAppended(path, risks, isRunners);
  const account = isRunners || risks.isAllowed ? { user: undefined, groups: [] } : io;
  const file = new AppendFile(targetOf(path, risks), account);
  file.open();
  return file;
}

/** The file to write or to create. @throws InvalidDataError */
function targetOf(path: string, risks: FileRisks): string {
  try {
    return existingTarget(path, risks);
  } catch (error) {
    throw toInvalidFile(path, error, "can't be written");
  }
}

/** @throws InvalidDataError with a predicate, the file system's error */
function existingTarget(path: string, { found, missing: [name, ...rest] }: FileRisks): string {
  // Not of `found`: an anonymous pipe has no path.
  if (lstatIfExists(path)) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) throw new InvalidDataError("can't be written: it is a link, and its target is missing");
    if (!stats.isFile()) throw new InvalidDataError("can't be written: it is not a regular file");
  }
  if (name === undefined) return found;
  const target = join(found, name);
  if (rest.length === 0) return target;
  lstatSync(target);
  throw new InvalidDataError(`can't be written: another program has just created ${target}`);
}
