/** The kinds of failure. `--json` prints them, and each has an exit code. */
export type ErrorCode =
  | "usage"
  | "not_found"
  | "unauthorized"
  | "unreachable"
  | "rate_limited"
  | "server_error"
  | "invalid_data"
  | "unexpected";

/**
 * The base class of the errors that appvars throws on purpose. No message
 * contains a value or a secret.
 */
export abstract class AppvarsError extends Error {
  abstract readonly code: ErrorCode;
  override get name(): string {
    return this.constructor.name;
  }
}

/** Thrown for an invalid argument, flag, setting or request parameter. */
export class UsageError extends AppvarsError {
  readonly code = "usage";
}

/**
 * Returns the result of `work`. The messages of its UsageErrors get `subject: `
 * in front.
 */
export function withSubject<T>(subject: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${subject}: ${error.message}`) : error;
  }
}

/** Thrown when an id or name does not exist for these credentials. */
export class NotFoundError extends AppvarsError {
  readonly code = "not_found";
  constructor(message = "Not found") {
    super(message);
  }
}

/** A handler for `catch` that turns a NotFoundError into `undefined`. */
export function ifNotFound(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error;
}

/** Thrown when credentials are missing, or refused by the server. */
export class UnauthorizedError extends AppvarsError {
  readonly code = "unauthorized";
}

/**
 * Thrown when there is no answer: connection refused or reset, unknown host,
 * timeout. `cause` is the transport's error.
 */
export class UnreachableError extends AppvarsError {
  readonly code = "unreachable";
  /** Whether no further attempt can succeed, whatever the cause. */
  readonly isFinal: boolean;
  constructor(message?: string, options: ErrorOptions & { isFinal?: boolean } = {}) {
    super(message, options);
    this.isFinal = options.isFinal ?? false;
  }
}

/** Thrown when the server answers 5xx, is unhealthy, or breaks the contract. */
export class ServerError extends AppvarsError {
  readonly code = "server_error";
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/**
 * Thrown when a data file or store is missing, unreadable, breaks a rule, or
 * can't be written. Its message may lack a subject, as in `is empty`: callers
 * add the name.
 */
export class InvalidDataError extends AppvarsError {
  readonly code = "invalid_data";
}

/** Thrown when a program can't be started, with the exit code of a shell. */
export class StartError extends AppvarsError {
  readonly code: "not_found" | "unexpected";
  readonly exitCode: 126 | 127;
  constructor(message: string, exitCode: 126 | 127) {
    super(message);
    this.exitCode = exitCode;
    this.code = exitCode === 127 ? "not_found" : "unexpected";
  }
}

function sizeText(bytes: number): string {
  const [unit, name] = bytes < 10 * 1_048_576 ? [1_024, "KB"] : [1_048_576, "MB"];
  return `${Math.ceil(bytes / unit).toLocaleString("en-US")} ${name}`;
}

/** Returns an error without a subject for too many bytes. */
export function tooLargeError(size: number, limit: number): InvalidDataError {
  return new InvalidDataError(
    `is too large: it has ${sizeText(size)}; the limit is ${sizeText(limit)}`,
  );
}
