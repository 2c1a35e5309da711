import { AppvarsError, ServerError, UnauthorizedError, UsageError } from "../kit/text/errors.js";

/** Thrown when another program has changed the variable to edit. */
export class ConcurrentChangeError extends UsageError {}

/**
 * Thrown when the server refuses a signature because its clock and this
 * machine's differ too much.
 */
export class WrongClockError extends UnauthorizedError {}

/**
 * Thrown when a server refuses the credentials. It does not say which one is
 * wrong.
 */
export class RefusedCredentialsError extends UnauthorizedError {
  constructor() {
    super("the server refused the credentials");
  }
}

/** Thrown when the server still answers 429 after the client's longest wait. */
export class RateLimitedError extends AppvarsError {
  readonly code = "rate_limited";
  /** Seconds until the server accepts the next request. */
  readonly retryAfter: number;
  constructor(message: string, retryAfter: number) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/**
 * Thrown when the answers to several requests don't match: the data changed in
 * between, or the server is broken.
 */
export class InconsistentAnswersError extends ServerError {
  constructor(message: string) {
    super(message, 200);
  }
}

/** Thrown when a client-side encrypted value can't be decrypted. */
export class DecryptionError extends AppvarsError {
  readonly code = "invalid_data";
}
