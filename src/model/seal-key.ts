import { InvalidDataError } from "../kit/text/errors.js";

/** The end of the name of a key file beside a data file. */
export const KEY_FILE_SUFFIX = ".key";

export const NEEDS_SEAL_KEY =
  "is sealed: set APPVARS_SEAL_KEY, or name the key's file with --seal-key-file";

export class NeedsSealKeyError extends InvalidDataError {
  constructor() {
    super(NEEDS_SEAL_KEY);
  }
}
