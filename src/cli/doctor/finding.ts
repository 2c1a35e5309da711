import { AppvarsError, type ErrorCode } from "../../domain/errors.js";

/** The result of a check. It contains no secret and no value. */
export type Finding =
  | { verdict: "ok" | "skipped"; message: string; fix?: undefined }
  | { verdict: "warning"; message: string; fix: string }
  /** `code` is the kind of failure that it leads to. */
  | { verdict: "problem"; message: string; fix: string; code: ErrorCode };

export function ok(message: string): Finding {
  return { verdict: "ok", message };
}

/** @param message why the check was not done */
export function skipped(message: string): Finding {
  return { verdict: "skipped", message };
}

/** @param fix an instruction */
export function warning(message: string, fix: string): Finding {
  return { verdict: "warning", message, fix };
}

/** @param fix an instruction */
export function problem(code: ErrorCode, message: string, fix: string): Finding {
  return { verdict: "problem", message, fix, code };
}

/** The finding for an error of `work`. @param fix an instruction @throws other errors than ours */
export function problemOf(error: unknown, fix: string): Finding {
  if (error instanceof AppvarsError) return problem(error.code, error.message, fix);
  throw error;
}
