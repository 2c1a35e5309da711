import { isoClock } from "../../kit/text/iso-clock.js";
import type { RecordIdentity } from "../../service/environment-view.js";
import { TOO_MANY_REQUESTS } from "./error-replies.js";
import type { ServedRequest } from "./served-request.js";

/** The recorded parts of a request. */
export interface AuditEntry
  extends Pick<
    ServedRequest,
    "id" | "apiKey" | "client" | "address" | "method" | "route" | "status"
  > {
  /** The qualified name of the environment that the caller has valid credentials of. */
  readonly environment?: string | undefined;
  /** The variables and values that the answer tells of; undefined if the request is refused. */
  readonly read?: readonly RecordIdentity[] | undefined;
}

export interface Audit {
  /** Called before each answer, except for `/healthz`. @returns whether the answer may be sent */
  record(entry: AuditEntry): boolean;
  /** Whether the last answer could not be recorded. */
  readonly isFailing?: boolean;
}

/** Where lines are appended, all of a call or none. */
interface AuditFile {
  readonly isOpen: boolean;
  append(lines: string): void;
  open(): void;
  close(): void;
}

export interface AuditState {
  /** `undefined` once the problem is resolved. */
  readonly problem: string | undefined;
  /** Whether lines are written all the same, into the file that was open before. */
  readonly isRecording: boolean;
  /** Lines that could not be written, once they are counted in the file. */
  readonly lost: number;
}

interface AuditLogOptions {
  /** Unix time in milliseconds. */
  clock: () => number;
  /** Monotonic clock in milliseconds. */
  ticks: () => number;
  /** Called when the file can't be written or opened again, and when it can. */
  onProblem: (state: AuditState) => void;
}

/** The time after which a file that could not be written or opened is tried again. */
const RETRY_MS = 1_000;

/** Appends a line of JSON to a file for each request within the rate limit. */
export class AuditLog implements Audit {
  readonly #file: AuditFile;
  readonly #options: AuditLogOptions;
  readonly #time: () => string;
  #problem: string | undefined;
  #retryAt = Number.NEGATIVE_INFINITY;
  #lost = 0;
  #reopening: NodeJS.Timeout | undefined;
  #recovering: NodeJS.Timeout | undefined;

  constructor(file: AuditFile, options: AuditLogOptions) {
    this.#file = file;
    this.#options = options;
    this.#time = isoClock(options.clock);
  }

  get isFailing(): boolean {
    return Number.isFinite(this.#retryAt);
  }

  record({
    id,
    apiKey,
    client,
    environment,
    address,
    method,
    route,
    status,
    read,
  }: AuditEntry): boolean {
    // Their number has no limit.
    if (status === TOO_MANY_REQUESTS.status) return true;
    const entry = {
      id,
      key: apiKey,
      client,
      environment,
      from: address,
      method,
      route,
      status,
      read,
    };
    return this.#append(entry);
  }

  /**
   * Goes on in the file that is at the path now, after the other one was renamed; in that one,
   * until it succeeds.
   */
  reopen(): void {
    clearTimeout(this.#reopening);
    this.#reopening = undefined;
    try {
      this.#file.open();
    } catch (error) {
      this.#tell((error as Error).message, this.#file.isOpen);
      this.#reopening = setTimeout(() => this.reopen(), RETRY_MS).unref();
      return;
    }
    this.#retryAt = Number.NEGATIVE_INFINITY;
    if (this.#recordLost()) this.#tell(undefined);
  }

  close(): void {
    clearTimeout(this.#reopening);
    this.#recordLost();
    clearTimeout(this.#recovering);
    this.#file.close();
  }

  #append(entry: object): boolean {
    const isWritten =
      this.#options.ticks() >= this.#retryAt &&
      this.#recordLost() &&
      this.#write(jsonLine({ time: this.#time(), ...entry }));
    if (!isWritten) this.#lost++;
    else if (!this.#reopening) this.#tell(undefined);
    return isWritten;
  }

  /** Writes how many lines are missing. @returns whether that is known to all who read the file */
  #recordLost(): boolean {
    const lost = this.#lost;
    if (lost === 0) return true;
    if (!this.#write(jsonLine({ time: this.#time(), lines_lost: lost }))) return false;
    this.#lost = 0;
    if (!this.#reopening) this.#tell(undefined, true, lost);
    return true;
  }

  #write(line: string): boolean {
    try {
      this.#file.append(line);
      this.#retryAt = Number.NEGATIVE_INFINITY;
      return true;
    } catch (error) {
      this.#retryAt = this.#options.ticks() + RETRY_MS;
      this.#tell((error as Error).message, false);
      // Without another request, nobody else would try.
      clearTimeout(this.#recovering);
      this.#recovering = setTimeout(() => this.#recordLost(), RETRY_MS).unref();
      return false;
    }
  }

  #tell(problem: string | undefined, isRecording = true, lost = 0): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onProblem({ problem, isRecording, lost });
  }
}

function jsonLine(entry: object): string {
  return `${JSON.stringify(entry)}\n`;
}
