import { InvalidDataError } from "./errors.js";

/** `64 MB`, in units of 1,024, rounded up. */
export function sizeText(bytes: number): string {
  const [unit, name] = bytes < 10 * 1_048_576 ? [1_024, "KB"] : [1_048_576, "MB"];
  return `${Math.ceil(bytes / unit).toLocaleString("en-US")} ${name}`;
}

/** The error for more bytes than the limit. Its message is a predicate. */
export function tooLarge(size: number, limit: number): InvalidDataError {
  return new InvalidDataError(
    `is too large: it has ${sizeText(size)}; the limit is ${sizeText(limit)}`,
  );
}
