import type { AppendFile } from "../../kit/files/append-file.js";
import type { AuditLine } from "../../model/audit-line.js";
import { refusesTooMany } from "./error-replies.js";
import type { ServedRequest } from "./served-request.js";

export interface AuditEntry
  extends Omit<ServedRequest, "path" | "milliseconds" | "bytes" | "counter"> {
  /** The qualified name of the environment of valid credentials. */
  readonly environment?: string | undefined;
  /** `undefined` if the request is refused. */
  readonly read?: AuditLine["read"];
}

export interface Audit {
  /**
   * Called before each answer, except for `/healthz`. Returns whether it may be
   * sent.
   */
  record(entry: AuditEntry): boolean;
  /** Whether the last answer could not be recorded. */
  readonly isFailing?: boolean;
}

type AuditFile = Pick<AppendFile, "append" | "open" | "close">;

interface AuditLogOptions {
  /** Unix time in milliseconds. */
  clock: () => number;
  /** Called once when lines can't be written. */
  onFailed: (reason: string) => void;
  /**
   * Called when lines can be written again.
   *
   * @param lost the number of missing lines
   */
  onRecovered: (lost: number) => void;
}

/** The time between two attempts to write a file that can't be written. */
const RETRY_MS = 1_000;

/** Appends a line of JSON to a file for each request within the rate limit. */
export class AuditLog implements Audit {
  readonly #file: AuditFile;
  readonly #options: AuditLogOptions;
  #lost = 0;
  /** Set while the file can't be written: then lines are only counted. */
  #retry: NodeJS.Timeout | undefined;

  constructor(file: AuditFile, options: AuditLogOptions) {
    this.#file = file;
    this.#options = options;
  }

  get isFailing(): boolean {
    return this.#retry !== undefined;
  }

  record({ id, apiKey: key, client, environment, address: from, ...rest }: AuditEntry): boolean {
    const { method, route, status, read } = rest;
    // The number of these is not limited.
    if (refusesTooMany(rest)) return true;
    const line = { id, key, client, environment, from, method, route, status, read };
    const isWritten = !this.isFailing && this.#write(line);
    if (!isWritten) this.#lost++;
    return isWritten;
  }

  /**
   * Continues in the file that is at the path now, after rotation.
   *
   * @throws InvalidDataError if it can't be opened: lines still go to the
   *   previous file
   */
  reopen(): void {
    this.#file.open();
    if (this.isFailing) this.#recover();
  }

  close(): void {
    if (this.isFailing) this.#recover();
    clearTimeout(this.#retry);
    this.#file.close();
  }

  #write(fields: Omit<AuditLine, "time">): boolean {
    try {
      const time = new Date(this.#options.clock()).toISOString();
      const line: AuditLine = { time, ...fields };
      this.#file.append(`${JSON.stringify(line)}\n`);
      return true;
    } catch (error) {
      if (!this.isFailing) this.#options.onFailed((error as Error).message);
      // Retries even if no request follows.
      this.#retry = setTimeout(() => this.#recover(), RETRY_MS).unref();
      return false;
    }
  }

  /** Writes the number of missing lines, now or once it is possible. */
  #recover(): void {
    clearTimeout(this.#retry);
    const lost = this.#lost;
    if (!this.#write({ lines_lost: lost })) return;
    this.#lost = 0;
    this.#retry = undefined;
    this.#options.onRecovered(lost);
  }
}
