import { InvalidDataError } from "../domain/errors.js";

const REASONS: Record<string, string> = {
  EACCES: "permission denied",
  EDQUOT: "the disk quota is used up",
  EEXIST: "there is such a file already",
  EFBIG: "it would be larger than files may be",
  EISDIR: "it is a folder",
  ELOOP: "too many links",
  ENOENT: "no such file or folder",
  ENOSPC: "the disk is full",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
};

/** The error that a failure with a data file is told as; `failure` is a predicate, "can't be read". */
export function toInvalidData(error: unknown, failure: string): InvalidDataError {
  if (error instanceof InvalidDataError) return error;
  const { code = "", message } = error as NodeJS.ErrnoException;
  return new InvalidDataError(`${failure}: ${REASONS[code] ?? (code || message)}`, { cause: error });
}
