import { InvalidDataError } from "./errors.js";

/** `64 MB`, in units of 1,024, rounded up. */
export function sizeText(bytes: number): string {
  const [unit, name] = bytes < 10 * 1_048_576 ? [1_024, "KB"] : [1_048_576, "MB"];
  return `${Math.ceil(bytes / unit).toLocaleString("en-US")} ${name}`;
}

/** @throws InvalidDataError with a predicate as its message if there are more bytes */
export function checkSize(size: number, maxSize: number): void {
  if (size > maxSize)
    throw new InvalidDataError(
      `is too large: it has ${sizeText(size)}; the limit is ${sizeText(maxSize)}`,
    );
}
