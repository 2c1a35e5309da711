import { CREDENTIAL_PATTERN, CREDENTIAL_RULE } from "../domain/environment.js";
import { UsageError } from "../domain/errors.js";

/** About 23 days: a timer set for more than 2^31 ms would fire at once. */
const LONGEST_SECONDS = 2_000_000;

/** An empty one counts as missing. @throws UsageError, without quoting it, for what no data file may hold */
export function checkCredential(what: string, credential: string | undefined): void {
  if (!credential || CREDENTIAL_PATTERN.test(credential)) return;
  throw new UsageError(`the ${what} must be ${CREDENTIAL_RULE}`);
}

/** @throws UsageError */
export function checkSeconds(what: string, seconds: number, least: number): void {
  if (seconds >= least && seconds <= LONGEST_SECONDS) return;
  throw new UsageError(`${what} must be a number of seconds, ${least} to ${LONGEST_SECONDS}`);
}
