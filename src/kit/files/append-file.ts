import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { InvalidDataError } from "../text/errors.js";
import { type Account, foreignWriter } from "./owners.js";
import { hasCode, toInvalidFile } from "./system-errors.js";

// Windows has only the first three.
const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
const FLAGS = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

const NEWLINE = 0x0a;

/**
 * A file of lines that only its user and root can change, and to which several
 * processes can append. A line that does not fit on the disk is removed again:
 * otherwise, its first part would begin the next line.
 */
export class AppendFile {
  readonly #path: string;
  readonly #account: Account;
  readonly #mode: number;
  #descriptor: number | undefined;
  /** Whether the file ends with an incomplete line. */
  #isTorn = false;

  /**
   * @param account the owner that the file must have; not checked without a
   *   user
   * @param mode of a new file, less the umask
   */
  constructor(path: string, account: Account, mode = 0o600) {
    this.#path = path;
    this.#account = account;
    this.#mode = mode;
  }

  /** Opens or creates the file. On failure, the old descriptor stays open. */
  open(): void {
    const descriptor = openDescriptor(this.#path, this.#account, this.#mode);
    this.close();
    this.#descriptor = descriptor;
    this.#isTorn = !endsWithNewline(descriptor);
  }

  /**
   * Appends all lines, each with its newline, or none. Opens the file if
   * necessary.
   *
   * @throws InvalidDataError
   */
  append(lines: string): void {
    if (this.#descriptor === undefined) this.open();
    const descriptor = this.#descriptor as number;
    const bytes = Buffer.from(this.#isTorn ? `\n${lines}` : lines);
    let written = 0;
    try {
      // A full disk takes a part, and the next call throws the reason.
      while (written < bytes.length) written += writeSync(descriptor, bytes, written);
      this.#isTorn = false;
    } catch (error) {
      if (written > 0 && !takeBack(this.#path, descriptor, bytes.subarray(0, written)))
        this.#isTorn = true;
      throw toInvalidFile(this.#path, error, "can't be written");
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

function openDescriptor(path: string, account: Account, mode: number): number {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, FLAGS, mode);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new InvalidDataError("can't be opened: it is not a regular file");
    const reason = foreignWriter(stats, account);
    if (reason) throw new InvalidDataError(`can't be opened: it ${reason}`);
    return descriptor;
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    // O_NOFOLLOW reports a link like this.
    if (hasCode(error, "ELOOP"))
      throw new InvalidDataError(`${path} can't be opened: it is a link`);
    throw toInvalidFile(path, error, "can't be opened");
  }
}

function endsWithNewline(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] === NEWLINE);
}

/**
 * Removes the appended part, unless another process has appended to the file or
 * renamed it.
 */
function takeBack(path: string, descriptor: number, part: Buffer): boolean {
  try {
    const { dev, ino, size } = fstatSync(descriptor);
    const named = lstatSync(path);
    const end = Buffer.alloc(part.length);
    readSync(descriptor, end, 0, end.length, size - end.length);
    if (!end.equals(part) || named.dev !== dev || named.ino !== ino) return false;
    // Windows can't truncate through a descriptor for appending.
    truncateSync(path, size - end.length);
    return true;
  } catch {
    return false;
  }
}
