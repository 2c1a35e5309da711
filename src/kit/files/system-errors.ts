import { type Stats, statSync } from "node:fs";
import { InvalidDataError } from "../text/errors.js";

/**
 * Thrown when a file has its new content, but a crash of the machine may
 * restore the old one.
 */
export class NotDurableError extends InvalidDataError {}

const REASONS: Record<string, string> = {
  EACCES: "permission denied",
  EBUSY: "another program is using it",
  EDQUOT: "the disk quota is exceeded",
  EEXIST: "the file already exists",
  EFBIG: "the file would be too large",
  EIO: "input/output error",
  EISDIR: "it is a folder",
  ELOOP: "too many links",
  EMFILE: "too many open files",
  ENFILE: "too many open files in the system",
  ENOENT: "no such file or folder",
  ENOMEM: "out of memory",
  ENOSPC: "the disk is full",
  ENOTDIR: "part of the path is not a folder",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
};

/**
 * Turns a file system's error into an InvalidDataError without a subject:
 * `can't be read: permission denied`.
 */
export function toInvalidData(error: unknown, failure: string): InvalidDataError {
  if (error instanceof InvalidDataError) return error;
  const { code = "", message } = error as NodeJS.ErrnoException;
  return new InvalidDataError(`${failure}: ${REASONS[code] ?? (code || message)}`, {
    cause: error,
  });
}

/**
 * Turns the error into one that begins with the path, as {@link toInvalidData}
 * does.
 */
export function toInvalidFile(path: string, error: unknown, failure: string): InvalidDataError {
  return new InvalidDataError(`${path} ${toInvalidData(error, failure).message}`, { cause: error });
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException | undefined)?.code ?? "");
}

/**
 * A handler for `catch` that turns the error for a missing file into
 * `undefined`.
 */
export function ifMissing(error: unknown): undefined {
  if (!hasCode(error, "ENOENT")) throw error;
}

/**
 * Puts a name in front of an InvalidDataError "without a subject", such as `is
 * read-only`: code that doesn't know what the user calls the file leaves the
 * subject to its callers.
 */
export function withName(name: string, error: unknown): unknown {
  return error instanceof InvalidDataError
    ? new InvalidDataError(`${name} ${error.message}`, { cause: error })
    : error;
}

/** Puts the path in front of the errors of `work`, as {@link withName} does. */
export function withPathInErrors<T>(path: string, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw withName(path, error);
  });
}

/**
 * Returns the stats of a file; `undefined` if it is missing or can't be
 * inspected.
 *
 * @param inspect `lstatSync` for a link itself
 */
export function statIfExists(
  path: string,
  inspect: (path: string) => Stats = statSync,
): Stats | undefined {
  try {
    return inspect(path);
  } catch {
    return undefined;
  }
}
