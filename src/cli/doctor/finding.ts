import type { ErrorCode } from "../../domain/errors.js";

/** What a check has found. Nothing in it is a secret or a value. */
export type Finding =
  | { verdict: "ok" | "skipped"; message: string }
  | { verdict: "warning"; message: string; fix: string }
  /** `code` is the kind of failure that it leads to. */
  | { verdict: "problem"; message: string; fix: string; code: ErrorCode };

/** A finding and the check that it is of. */
export type CheckResult = Finding & { check: string };

export function ok(message: string): Finding {
  return { verdict: "ok", message };
}

/** @param message why the check could not be made */
export function skipped(message: string): Finding {
  return { verdict: "skipped", message };
}

/** @param fix how to mend it, as an order */
export function warning(message: string, fix: string): Finding {
  return { verdict: "warning", message, fix };
}

/** @param fix how to mend it, as an order */
export function problem(code: ErrorCode, message: string, fix: string): Finding {
  return { verdict: "problem", message, fix, code };
}
