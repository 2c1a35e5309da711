import { AppvarsError, RateLimitedError } from "../domain/errors.js";
import type { Failure } from "./state/state.js";

/** What went wrong, as state holds it. What appvars did not throw on purpose may quote anything, so only its kind is told. */
export function toFailure(error: unknown): Failure {
  if (!(error instanceof AppvarsError)) {
    const { code, name } = error as NodeJS.ErrnoException;
    return { code: "unexpected", message: `something unforeseen went wrong (${code ?? name ?? "no error"})` };
  }
  const retryAfter = error instanceof RateLimitedError ? error.retryAfter : undefined;
  return { code: error.code, message: error.message, retryAfter };
}
