import type { ErrorCode } from "../domain/errors.js";

/** The exit codes that scripts depend on (cli.md). */
export const EXIT_CODES: Record<ErrorCode, number> = {
  unexpected: 1,
  usage: 2,
  not_found: 3,
  unauthorized: 4,
  unreachable: 5,
  rate_limited: 6,
  server_error: 7,
  invalid_data: 8,
};
