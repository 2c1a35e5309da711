import { NotFoundError, UsageError } from "./errors.js";

/** What a caller proves itself with: one pair for each environment. */
export interface Credentials {
  apiKey: string;
  apiSecret: string;
}

/** One environment of one application. */
export interface Environment {
  readonly id: number;
  readonly application: string;
  readonly name: string;
}

/** An environment as a data file holds it, with its credentials. */
export interface EnvironmentRecord extends Environment {
  readonly api_key: string;
  readonly api_secret: string;
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
    throw new NotFoundError(`no environment named "${name}"; there is ${list(environments)}`);
  }
  if (others.length > 0) {
    throw new UsageError(`the environment "${name}" is ambiguous: name one of ${list(matches)}`);
  }
  return match;
}

function list(environments: readonly Environment[]): string {
  return environments.map(qualifiedName).join(", ") || "none";
}
