import { AppvarsError, type ErrorCode } from "../../kit/text/errors.js";

/** The result of a check. It contains no secret and no value. */
export interface Finding {
  verdict: "ok" | "warning" | "problem" | "skipped";
  message: string;
  /** An instruction; absent if nothing is wrong. */
  fix?: string;
  /** The kind of failure that a problem leads to. */
  code?: ErrorCode;
}

/** Findings by the names of their checks, in the order of the report. */
export type Findings = Record<string, Finding | Finding[]>;

/** The fix for each kind of failure, unless a check has a better one. */
export const FIXES: Readonly<Record<ErrorCode, string>> = {
  usage: "correct this setting",
  not_found: "correct the URL",
  unauthorized:
    "get the key and the secret from the server: appvars env credentials NAME prints them there",
  unreachable: "start the server (appvars serve, or etcd for a store), or correct its address",
  rate_limited: "send fewer requests, or raise the limit on the server with serve --rate-limit",
  server_error: "correct the URL, or see the logs of the server and of a proxy before it",
  invalid_data: "correct the data, or use another file or store",
  unexpected: "see the logs of the server",
};

export const ok = (message: string): Finding => ({ verdict: "ok", message });

export const skipped = (message: string): Finding => ({ verdict: "skipped", message });

export const notChecked = (check: string): Finding => skipped(`not known: see ${check}`);

export const warning = (message: string, fix: string): Finding => ({
  verdict: "warning",
  message,
  fix,
});

export const problem = (code: ErrorCode, message: string, fix = FIXES[code]): Finding => ({
  verdict: "problem",
  message,
  fix,
  code,
});

/** @throws errors that are not of appvars */
export function problemOf(error: unknown, fix?: string): Finding {
  if (error instanceof AppvarsError) return problem(error.code, error.message, fix);
  throw error;
}
