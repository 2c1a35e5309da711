import { assignmentLines, command } from "../../kit/text/shell.js";
import {
  describeWeakSecrets,
  type EnvironmentRecord,
  expiringKeys,
  type KeyPair,
  qualifiedName,
} from "../../model/environment.js";
import type { Surroundings } from "../surroundings.js";

/** The time before the end of a key in which it should be replaced. */
const EXPIRY_NOTICE_MS = 14 * 24 * 3_600_000;

export function credentialLines({ api_key, api_secret }: KeyPair, shell: Surroundings): string[] {
  return assignmentLines({ APPVARS_API_KEY: api_key, APPVARS_API_SECRET: api_secret }, shell);
}

/**
 * Returns the problems with keys, now or soon, and the commands that replace
 * the keys.
 *
 * @param flags select the data
 */
export function keyWarnings(
  environments: readonly EnvironmentRecord[],
  now: number,
  flags: readonly string[],
) {
  const warnings = describeWeakSecrets(environments, now).map((message) => {
    return { message, fix: rotateCommand(flags) };
  });
  for (const { environment, client = "", validUntil } of expiringKeys(environments)) {
    if (validUntil <= now || validUntil > now + EXPIRY_NOTICE_MS) continue;
    const [name, end] = [qualifiedName(environment), new Date(validUntil).toISOString()];
    const fix = command`appvars env key rotate ${name} ${client} --expires 90d ${flags}`;
    const message = `the credentials of the key "${client}" of ${name} expire at ${end}`;
    warnings.push({ message, fix });
  }
  return warnings;
}

/** @param flags select the data */
export function rotateCommand(flags: readonly string[]): string {
  return command`appvars env rotate NAME ${flags}`;
}
