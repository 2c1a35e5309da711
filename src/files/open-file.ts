import { close, closeSync, constants, fstat, open, openSync, read, type Stats } from "node:fs";
import { devNull } from "node:os";
import { promisify } from "node:util";
import { InvalidDataError } from "../domain/errors.js";
import { hasCode } from "./system-errors.js";

/** A file that is open for reading. Not a `FileHandle`: to load node:fs/promises takes commands 2 ms. */
export interface OpenFile {
  stat(): Promise<Stats>;
  /** Resolves to the number of bytes, 0 at the end. */
  read(buffer: Uint8Array): Promise<number>;
  close(): Promise<void>;
}

// Without O_NONBLOCK, opening a named pipe waits for a writer. Windows has neither flag.
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
const FLAGS = O_RDONLY | O_NONBLOCK;

/** To open a file for reading, but no link; for a link, the error is ELOOP. */
const NO_LINK_FLAGS = FLAGS | O_NOFOLLOW;

/**
 * @param options `waitForWriter`: whether a named pipe without a writer is waited for
 * @throws the file system's error, which is ELOOP for a link that is not followed
 */
export async function openForReading(
  path: string,
  { followLinks = true, waitForWriter = false } = {},
): Promise<OpenFile> {
  const flags = followLinks ? FLAGS : NO_LINK_FLAGS;
  const descriptor = await promisify(open)(path, waitForWriter ? flags & ~O_NONBLOCK : flags);
  return openedFile(descriptor, () => promisify(close)(descriptor));
}

function openedFile(descriptor: number, closeFile: OpenFile["close"]): OpenFile {
  return {
    stat: () => promisify(fstat)(descriptor),
    read: async (buffer) => (await promisify(read)(descriptor, buffer, 0, buffer.length, null)).bytesRead,
    close: closeFile,
  };
}

/**
 * Reads an open file and closes it. Never waits for a pipe's writer, nor reads a device without an end.
 *
 * @param maxSize bytes
 * @throws InvalidDataError with a predicate as its message when it is not a regular file or is too large; the file
 *   system's error
 */
export async function readRegularFile(file: OpenFile, maxSize: number): Promise<Buffer> {
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) throw new InvalidDataError("can't be read: it is a folder");
    if (!stats.isFile()) throw new InvalidDataError("can't be read: it is not a regular file");
    return await readToEnd(file, stats.size, maxSize);
  } finally {
    await file.close();
  }
}

const MIN_READ = 65_536;

/**
 * @param size according to `stat`: the file may grow in the meantime, and files in /proc report 0
 * @throws InvalidDataError with a predicate as its message when there are more than `maxSize` bytes; the file system's
 *   error
 */
export async function readToEnd(file: OpenFile, size: number, maxSize: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let total = 0; ; ) {
    const known = Math.max(size, total);
    if (known > maxSize)
      throw new InvalidDataError(`is too large: it has ${sizeText(known)}; the limit is ${sizeText(maxSize)}`);
    // One byte more than expected, so that the next read is the last.
    const buffer = Buffer.allocUnsafe(Math.max(size + 1 - total, MIN_READ));
    const bytesRead = await file.read(buffer);
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

/** `64 MB`, in units of 1,024, rounded up. */
export function sizeText(bytes: number): string {
  const [unit, name] = bytes < 10 * 1_048_576 ? [1_024, "KB"] : [1_048_576, "MB"];
  return `${Math.ceil(bytes / unit).toLocaleString("en-US")} ${name}`;
}

/**
 * A file descriptor held in reserve, so that a file can be read when the process has used up all others: clients that
 * hold connections open must not keep a server from noticing that their credentials were revoked.
 */
export class SpareDescriptor {
  #descriptor: number | undefined;
  #isClosed = false;

  constructor() {
    this.#reserve();
  }

  /** @throws the file system's error */
  async openForReading(path: string): Promise<OpenFile> {
    this.#reserve();
    try {
      return await openForReading(path);
    } catch (error) {
      if (!hasCode(error, "EMFILE", "ENFILE")) throw error;
      return this.#openInPlace(path);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#release();
  }

  // Synchronous, here and in `close`: otherwise a connection could take the descriptor in between.
  #openInPlace(path: string): OpenFile {
    this.#release();
    try {
      const descriptor = openSync(path, FLAGS);
      return openedFile(descriptor, async () => {
        closeSync(descriptor);
        this.#reserve();
      });
    } catch (error) {
      this.#reserve();
      throw error;
    }
  }

  #reserve(): void {
    if (this.#isClosed) return;
    try {
      this.#descriptor ??= openSync(devNull, "r");
    } catch {
      // None is free: the next call tries again.
    }
  }

  #release(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
