import { AppvarsError, type ErrorCode } from "../../domain/errors.js";

/** The result of a check. It contains no secret and no value. */
export interface Finding {
  verdict: "ok" | "warning" | "problem" | "skipped";
  message: string;
  /** An instruction; absent if nothing is wrong. */
  fix?: string;
  /** The kind of failure that a problem leads to. */
  code?: ErrorCode;
}

export function ok(message: string): Finding {
  return { verdict: "ok", message };
}

/** @param message why the check was not done */
export function skipped(message: string): Finding {
  return { verdict: "skipped", message };
}

export function warning(message: string, fix: string): Finding {
  return { verdict: "warning", message, fix };
}

export function problem(code: ErrorCode, message: string, fix: string): Finding {
  return { verdict: "problem", message, fix, code };
}

/** The problem of a failure. @throws errors that are not of appvars */
export function problemOf(error: unknown, fix: string): Finding {
  if (error instanceof AppvarsError) return problem(error.code, error.message, fix);
  throw error;
}
