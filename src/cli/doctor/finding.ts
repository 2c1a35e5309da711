import { AppvarsError, type ErrorCode } from "../../domain/errors.js";
import { withNotice } from "../output/context.js";
import type { Io } from "../output/io.js";

/** The result of a check. It contains no secret and no value. */
export interface Finding {
  verdict: "ok" | "warning" | "problem" | "skipped";
  message: string;
  /** An instruction; absent if nothing is wrong. */
  fix?: string;
  /** The kind of failure that a problem leads to. */
  code?: ErrorCode;
}

export const ok = (message: string): Finding => ({ verdict: "ok", message });

/** @param message why the check was not done */
export const skipped = (message: string): Finding => ({ verdict: "skipped", message });

export const warning = (message: string, fix: string): Finding => ({ verdict: "warning", message, fix });

export function problem(code: ErrorCode, message: string, fix: string): Finding {
  return { verdict: "problem", message, fix, code };
}

/** The problem of a failure. @throws errors that are not of appvars */
export function problemOf(error: unknown, fix: string): Finding {
  if (error instanceof AppvarsError) return problem(error.code, error.message, fix);
  throw error;
}

/** The same surroundings, in which each notice becomes a warning. */
export function collectNotices(io: Io, findings: Finding[]): Io {
  return withNotice(io, (text) => void findings.push(warning(text, "correct this, unless you expect it")));
}
