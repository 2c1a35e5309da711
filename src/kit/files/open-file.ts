import { closeSync, constants, fstat, open, read, type Stats } from "node:fs";
import { promisify } from "node:util";
import { InvalidDataError, tooLarge } from "../text/errors.js";

// Without O_NONBLOCK, opening a named pipe waits for a writer. Windows has neither flag.
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;

interface OpenFileOptions {
  followLinks?: boolean;
  /** Whether a named pipe without a writer is waited for. */
  waitForWriter?: boolean;
}

/**
 * Resolves to a descriptor, not to a `FileHandle`: to load node:fs/promises takes commands 2 ms.
 *
 * @throws the file system's error, which is ELOOP for a link that is not followed
 */
export function openForReading(
  path: string,
  { followLinks = true, waitForWriter = false }: OpenFileOptions = {},
): Promise<number> {
  const flags = (followLinks ? 0 : O_NOFOLLOW) | (waitForWriter ? 0 : O_NONBLOCK);
  return promisify(open)(path, O_RDONLY | flags);
}

export interface FileContent {
  bytes: Buffer;
  stats: Stats;
}

/**
 * Reads a file. Never waits for a pipe's writer, nor reads a device without an end.
 *
 * @param maxSize bytes
 * @throws InvalidDataError with a predicate for a file that is too large or not regular; the file
 *   system's error
 */
export async function readRegularFile(
  path: string,
  maxSize: number,
  options?: OpenFileOptions,
): Promise<FileContent> {
  const descriptor = await openForReading(path, options);
  try {
    const stats = await promisify(fstat)(descriptor);
    if (stats.isDirectory()) throw new InvalidDataError("can't be read: it is a folder");
    if (!stats.isFile()) throw new InvalidDataError("can't be read: it is not a regular file");
    return { stats, bytes: await readToEnd(descriptor, stats.size, maxSize) };
  } finally {
    closeSync(descriptor);
  }
}

const MIN_READ = 65_536;

/**
 * @param size according to `stat`: the file may grow in the meantime, and files in /proc report 0
 * @throws InvalidDataError with a predicate if there are more than `maxSize` bytes; the file
 *   system's error
 */
export async function readToEnd(
  descriptor: number,
  size: number,
  maxSize: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let total = 0; ; ) {
    if (size > maxSize || total > maxSize) throw tooLarge(Math.max(size, total), maxSize);
    // One byte more than expected, so that the next read is the last.
    const buffer = Buffer.allocUnsafe(Math.max(size + 1 - total, MIN_READ));
    const { bytesRead } = await promisify(read)(descriptor, buffer, 0, buffer.length, null);
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

/** The largest value or file that a person gives, and the largest answer of a server, in bytes. */
export const MAX_INPUT = 64 * 1_048_576;
