import { InvalidDataError } from "../kit/text/errors.js";

/** The end of the name of a key file beside a data file. */
export const KEY_FILE_END = ".key";

/** The predicate for data that can't be read without a key. */
export const NEEDS_SEAL_KEY =
  "is sealed: set APPVARS_SEAL_KEY, or name the key's file with --seal-key-file";

/** Thrown when sealed data is read without a key. */
export class NeedsSealKeyError extends InvalidDataError {
  constructor() {
    super(NEEDS_SEAL_KEY);
  }
}
