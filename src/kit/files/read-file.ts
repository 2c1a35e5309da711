// Not node:fs/promises, which takes 2 ms to load.
import { closeSync, constants, fstat, open, read, type Stats } from "node:fs";
import { promisify } from "node:util";
import { InvalidDataError, tooLargeError } from "../text/errors.js";

const MIN_READ = 65_536;

/**
 * The largest value or file from a user, and the largest answer of a server, in
 * bytes.
 */
export const MAX_INPUT = 64 * 1_048_576;

// Without O_NONBLOCK, opening a named pipe waits for a writer. Windows has
// neither flag.
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;

export interface FileContent {
  bytes: Buffer;
  stats: Stats;
}

/**
 * Reads a regular file. Does not wait for the writer of a pipe, or read an
 * endless device.
 *
 * @param maxSize in bytes
 * @throws InvalidDataError without a subject for a file that is too large or
 *   not regular; the file system's error, which is ELOOP for a link that is not
 *   followed
 */
export async function readRegularFile(
  path: string,
  maxSize: number,
  { followLinks = true } = {},
): Promise<FileContent> {
  const flags = O_RDONLY | O_NONBLOCK | (followLinks ? 0 : O_NOFOLLOW);
  const descriptor = await promisify(open)(path, flags);
  try {
    const stats = await promisify(fstat)(descriptor);
    if (stats.isDirectory()) throw new InvalidDataError("can't be read: it is a folder");
    if (!stats.isFile()) throw new InvalidDataError("can't be read: it is not a regular file");
    return { stats, bytes: await readToEnd(descriptor, stats.size, maxSize) };
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads a file, a device, or a pipe, whose writer it waits for.
 *
 * @throws InvalidDataError without a subject if it is too large; the file
 *   system's error
 */
export async function readAnyFile(path: string, maxSize: number): Promise<Buffer> {
  const descriptor = await promisify(open)(path, O_RDONLY);
  return readToEnd(descriptor, 0, maxSize).finally(() => closeSync(descriptor));
}

/**
 * @param size the size that `stat` reports: the file may grow in the meantime,
 *   and files in /proc report 0
 */
async function readToEnd(descriptor: number, size: number, maxSize: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let total = 0; ; ) {
    if (size > maxSize || total > maxSize) throw tooLargeError(Math.max(size, total), maxSize);
    // One byte more than expected, so that the next read is the last one.
    const buffer = Buffer.allocUnsafe(Math.max(size + 1 - total, MIN_READ));
    const { bytesRead } = await promisify(read)(descriptor, buffer, 0, buffer.length, null);
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}
