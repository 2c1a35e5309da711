import { fstatSync, write } from "node:fs";
import type { Output } from "./output.js";

/** Bytes of a log that may wait while others are being written. */
const MAX_WAITING = 256 * 1_024;
/** How long lines wait for others, and how many characters may wait. */
const COLLECT_MS = 20;
const MAX_COLLECTED = 64 * 1_024;
/** How long the end of a program may wait for its log. */
const MAX_END_MS = 250;
/** The time after which a log that could not be written is tried again. */
const RETRY_MS = 1_000;

/**
 * Writes text.
 *
 * @param done gets an error, and the number of bytes written in spite of it
 */
type Write = (text: string, done: (error?: Error | null, written?: number) => void) => void;

/**
 * Writes the lines of a log, without blocking the program. Drops lines that
 * can't be written in time.
 */
export class LogWriter {
  readonly #stream: Output;
  readonly #write: Write;
  readonly #droppedLine: (count: number) => string;
  #waiting = "";
  #timer: NodeJS.Timeout | undefined;
  #isWriting = false;
  /** Whether the last attempt has failed, and the next one is not due. */
  #isPaused = false;
  #dropped = 0;
  #onIdle = () => {};

  /**
   * @param droppedLine formats the escaped line that reports how many lines
   *   were dropped
   */
  constructor(stream: Output, droppedLine: (count: number) => string) {
    this.#stream = stream;
    this.#write = writerTo(stream);
    this.#droppedLine = droppedLine;
  }

  /**
   * Whether the next line has to be dropped, which is then counted. Call it
   * first, since formatting a line takes time.
   */
  drops(): boolean {
    if (this.#dropped === 0 && this.#waiting.length <= MAX_WAITING) return false;
    this.#dropped++;
    return true;
  }

  /** Writes an escaped line as soon as possible. */
  write(line: string): void {
    this.#waiting += `${line}\n`;
    this.#flush();
  }

  /** Writes an escaped line together with others, which takes less time. */
  writeSoon(line: string): void {
    this.#waiting += `${line}\n`;
    if (this.#waiting.length > MAX_COLLECTED) this.#flush();
    else this.#timer ??= setTimeout(this.#flush, COLLECT_MS);
  }

  /** Resolves when all lines are written, or can't be soon. */
  written(): Promise<void> {
    this.#flush();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, MAX_END_MS);
      this.#onIdle = () => {
        if (this.#isWriting) return;
        clearTimeout(timer);
        resolve();
      };
      this.#onIdle();
    });
  }

  readonly #flush = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const dropped = this.#dropped;
    const text = dropped > 0 ? `${this.#waiting}${this.#droppedLine(dropped)}\n` : this.#waiting;
    if (this.#isWriting || this.#isPaused || text === "" || this.#stream.destroyed) return;
    [this.#waiting, this.#dropped, this.#isWriting] = ["", 0, true];
    this.#write(text, (error, written = 0) => {
      this.#isWriting = false;
      if (error) {
        const lost = countLines(Buffer.from(text).subarray(written).toString("latin1"));
        this.#retryLater(dropped > 0 ? lost - 1 + dropped : lost);
      } else if (this.#dropped > 0 || this.#timer === undefined) this.#flush();
      this.#onIdle();
    });
  };

  #retryLater(lost: number): void {
    this.#dropped += lost + countLines(this.#waiting);
    this.#waiting = "";
    this.#isPaused = true;
    setTimeout(() => {
      this.#isPaused = false;
      this.#flush();
    }, RETRY_MS).unref();
  }
}

function countLines(text: string): number {
  return text.split("\n").length - 1;
}

function writerTo(stream: Output): Write {
  const { fd } = stream;
  if (fd !== undefined && isFile(fd)) return fileWriter(fd);
  return (text, done) => stream.write(text, done);
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
}

/**
 * Writes to a file without blocking. Node's own stream for a file blocks until
 * the disk has taken everything, and ignores that it took only a part.
 */
function fileWriter(fd: number): Write {
  let isTorn = false;
  return (text, done) => {
    // A line that was written in part gets its end, or the next one would not
    // be found.
    const start = isTorn ? 1 : 0;
    const bytes = Buffer.from(isTorn ? `\n${text}` : text);
    const writeFrom = (offset: number) => {
      write(fd, bytes, offset, bytes.length - offset, null, (error, written) => {
        const end = offset + (error ? 0 : written);
        if (end > 0) isTorn = bytes[end - 1] !== 0x0a;
        if (error) done(error, Math.max(0, end - start));
        else if (end < bytes.length) writeFrom(end);
        else done();
      });
    };
    writeFrom(0);
  };
}
