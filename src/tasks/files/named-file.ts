import { readAnyFile, readRegularFile } from "../../kit/files/read-file.js";
import { InvalidDataError, UsageError } from "../../kit/text/errors.js";
import type { Surroundings } from "../surroundings.js";

/** A file that a flag, a variable or a settings file names. */
export interface NamedFile {
  /** The path of the file. */
  readonly text: string;
  /** The flag, variable or settings file. */
  readonly from: string;
  /** Absent or `project` unless the user has named the file. */
  readonly origin?: string;
}

/** The largest file, in bytes. */
const MAX_NAMED_FILE = 16 * 1_024 * 1_024;

/**
 * Reads a file. A pipe is read only if the user has named it, since reading
 * waits for its writer.
 *
 * @throws UsageError if it can't be read, or is larger than 16 MB
 */
export async function readNamedFile(named: NamedFile): Promise<Buffer> {
  const { text: path, origin = "project" } = named;
  try {
    if (origin === "project") return (await readRegularFile(path, MAX_NAMED_FILE)).bytes;
    return await readAnyFile(path, MAX_NAMED_FILE);
  } catch (error) {
    throw readError(describeFile(named), error);
  }
}

/**
 * @param subject names stdin in messages
 *
 * @throws UsageError if it can't be read, or is too large
 */
export async function readStdin(
  subject: string,
  surroundings: Surroundings,
  maxBytes = MAX_NAMED_FILE,
): Promise<Buffer> {
  return surroundings.readStdin(maxBytes).catch((error) => {
    throw readError(subject, error);
  });
}

/** `--ca-file ca.pem` */
export function describeFile(file: NamedFile | undefined): string {
  return `${file?.from} ${file?.text}`;
}

function readError(subject: string, error: unknown): UsageError {
  if (error instanceof InvalidDataError) return new UsageError(`${subject} ${error.message}`);
  return new UsageError(`${subject} can't be read (${(error as NodeJS.ErrnoException).code})`);
}
