/** The machine-readable kinds of failure; `--json` prints them and each has its own exit code. */
export type ErrorCode =
  | "usage"
  | "not_found"
  | "unauthorized"
  | "unreachable"
  | "rate_limited"
  | "server_error"
  | "invalid_data"
  | "unexpected";

/** What every error that appvars throws on purpose extends. Its message never holds a value or a secret. */
export abstract class AppvarsError extends Error {
  abstract readonly code: ErrorCode;
  override get name(): string {
    return this.constructor.name;
  }
}

/** Thrown for an argument, a flag, a setting or a request parameter that is out of its bounds. */
export class UsageError extends AppvarsError {
  readonly code = "usage";
}

/** Thrown when there is no such id or name, or none that these credentials may see. */
export class NotFoundError extends AppvarsError {
  readonly code = "not_found";
  constructor(message = "Not found") {
    super(message);
  }
}

/** Thrown when credentials are missing, or refused by the server. */
export class UnauthorizedError extends AppvarsError {
  readonly code = "unauthorized";
}

/** Thrown when no answer came: refused, reset, unknown host, timed out. `cause` is the transport's own error. */
export class UnreachableError extends AppvarsError {
  readonly code = "unreachable";
}

/** Thrown when the server keeps answering 429 for longer than the client may wait. */
export class RateLimitedError extends AppvarsError {
  readonly code = "rate_limited";
  /** Seconds until the server takes the next request. */
  readonly retryAfter: number;
  constructor(message: string, retryAfter: number) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/** What a proxy answers whose server is down; appvars itself never does, for data. */
export const GATEWAY_STATUSES: readonly number[] = [502, 503, 504];

/** Thrown when the server answers 5xx, is unhealthy, or answers something that is not its contract. */
export class ServerError extends AppvarsError {
  readonly code = "server_error";
  /** HTTP status of the answer. */
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Thrown when a data file or store is missing, unreadable, breaks a rule, or can't be written. */
export class InvalidDataError extends AppvarsError {
  readonly code = "invalid_data";
}

/** Thrown when a client-side encrypted value can't be decrypted. */
export class DecryptionError extends AppvarsError {
  readonly code = "invalid_data";
}
