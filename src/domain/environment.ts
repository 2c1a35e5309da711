import { NotFoundError, UsageError } from "./errors.js";
import { suggestion } from "./nearest.js";

/** What a caller proves itself with: one pair for each environment. */
export interface Credentials {
  apiKey: string;
  apiSecret: string;
}

/** The rule for keys and secrets: what travels in a header unchanged. A comma would make one look like two. */
export const CREDENTIAL_PATTERN = /^[\x21-\x2b\x2d-\x7e]{1,512}$/;
export const CREDENTIAL_RULE = "1 to 512 visible ASCII characters other than a comma";

/** The rule for names of applications and environments: a slash separates them in `shop/development`. */
export const LABEL_PATTERN = /^[^/\p{Cc}]{1,255}$/u;
export const LABEL_RULE = "1 to 255 characters, none of them a slash or a control character";

/** One environment of one application. */
export interface Environment {
  readonly id: number;
  readonly application: string;
  readonly name: string;
}

/** One pair of credentials as a data file holds it. */
export interface KeyPair {
  readonly api_key: string;
  readonly api_secret: string;
}

/** A pair that was rotated out, and is taken for a while yet, so that clients can move without an outage. */
interface PreviousKeyPair extends KeyPair {
  /** ISO 8601, UTC. */
  readonly valid_until: string;
}

/** An environment as a data file holds it, with its credentials. */
export interface EnvironmentRecord extends Environment, KeyPair {
  readonly previous?: readonly PreviousKeyPair[];
}

/** The pair in use and those that were rotated out, whether still valid or not. */
export function allKeyPairs(environment: EnvironmentRecord): KeyPair[] {
  return [environment, ...(environment.previous ?? [])];
}

/** The pairs that an environment's clients may use at the time `now`, in Unix milliseconds; the newest first. */
export function validKeyPairs(environment: EnvironmentRecord, now: number): KeyPair[] {
  const { previous = [] } = environment;
  return [environment, ...previous.filter((pair) => now < Date.parse(pair.valid_until))];
}

/** `shop/development`: the name that is unique over all applications. */
export function qualifiedName({ application, name }: Omit<Environment, "id">): string {
  return `${application}/${name}`;
}

/**
 * The environment called `name`: `development`, or `shop/development` where the name alone is ambiguous.
 *
 * @throws NotFoundError when there is none, UsageError when more than one application has it
 */
export function findEnvironment<E extends Environment>(environments: readonly E[], name: string): E {
  const matches = environments.filter((e) => e.name === name || qualifiedName(e) === name);
  const [match, ...others] = matches;
  if (match === undefined) {
    const hint = suggestion(name, [...environments.map((e) => e.name), ...environments.map(qualifiedName)]);
    throw new NotFoundError(`no environment named "${name}"${hint}; there is ${list(environments)}`);
  }
  if (others.length > 0) {
    throw new UsageError(`the environment "${name}" is ambiguous: name one of ${list(matches)}`);
  }
  return match;
}

function list(environments: readonly Environment[]): string {
  return environments.map(qualifiedName).join(", ") || "none";
}
