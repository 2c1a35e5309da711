import { AppvarsError, RateLimitedError, UsageError } from "../../kit/text/errors.js";

export interface Failure {
  readonly code: string;
  readonly message: string;
  /** Seconds to wait before the next try, if the server said how long. */
  readonly retryAfter?: number | undefined;
  /**
   * Whether a change of local data can fix it, such as checking out another
   * branch.
   */
  readonly mayPass?: boolean;
}

/** Thrown if a field of a form has invalid input. */
export class InvalidFieldError extends UsageError {
  constructor(
    message: string,
    readonly field: "name" | "value" | "schema",
  ) {
    super(message);
  }
}

/**
 * Converts an error for the state. The message of an unexpected error could
 * contain a value, so only its kind is shown.
 */
export function toFailure(error: unknown): Failure {
  if (!(error instanceof AppvarsError)) {
    const { code, name } = error as NodeJS.ErrnoException;
    return { code: "unexpected", message: `unexpected error (${code ?? name ?? "unknown"})` };
  }
  const retryAfter = error instanceof RateLimitedError ? error.retryAfter : undefined;
  return { code: error.code, message: error.message, retryAfter };
}
