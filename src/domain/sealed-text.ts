import { InvalidDataError } from "./errors.js";

/** Begins each text that a sealed data file holds in place of a secret; the id of its key and the sealed bytes follow. */
export const SEALED_PREFIX = "appvars:sealed:v1:";

/** Whether it stands for a secret, or was meant to. */
export function isSealedText(value: unknown): value is string {
  return typeof value === "string" && value.startsWith(SEALED_PREFIX);
}

/** A copy whose field throws when it is read: there is no key. @param place whose it is */
export function withLocked<T extends object>(holder: T, field: keyof T, place: string): T {
  const get = () => {
    throw new InvalidDataError(`${place} is sealed: to read it, use --seal-key-file`);
  };
  return Object.defineProperty({ ...holder }, field, { get, enumerable: true });
}
