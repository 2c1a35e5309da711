import { InvalidDataError } from "../kit/text/errors.js";

/**
 * Begins each text that a sealed data file holds in place of a secret; the id of its key and the
 * sealed bytes follow.
 */
export const SEALED_PREFIX = "appvars:sealed:v1:";

/** Ends the name of the file beside a data file with its keys. */
export const KEY_FILE_END = ".key";

/** A predicate about data that can't be read without a key. */
export const NEEDS_SEAL_KEY =
  "is sealed: set APPVARS_SEAL_KEY, or name the key's file with --seal-key-file";

/** Thrown when sealed data is read without a key. */
export class NeedsSealKeyError extends InvalidDataError {
  constructor() {
    super(NEEDS_SEAL_KEY);
  }
}

/** Whether a value stands for a secret, or was meant to. */
export function isSealedText(value: unknown): value is string {
  return typeof value === "string" && value.startsWith(SEALED_PREFIX);
}
