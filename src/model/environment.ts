import { NotFoundError, UsageError } from "../kit/text/errors.js";
import { suggestion } from "../kit/text/nearest.js";

/**
 * Random letters and digits of this length can't be guessed, even by testing
 * guesses on a signature.
 */
const MIN_SECRET_LENGTH = 16;

export interface Credentials {
  apiKey: string;
  apiSecret: string;
}

/**
 * API keys and secrets are sent unchanged in a header. One with a comma would
 * look like two.
 */
export const CREDENTIAL_PATTERN = /^[\x21-\x2b\x2d-\x7e]{1,512}$/;
export const CREDENTIAL_RULE = "1 to 512 visible ASCII characters other than a comma";

/**
 * The name of an application, an environment or a key. A slash joins them:
 * `shop/development`.
 */
export const NAME_PART = /^[^/\p{Cc}]{1,255}$/u;
export const NAME_PART_RULE = "1 to 255 characters, none of them a slash or a control character";

export interface EnvironmentName {
  readonly application: string;
  readonly name: string;
}

export interface Environment extends EnvironmentName {
  readonly id: number;
}

export interface KeyPair {
  readonly api_key: string;
  readonly api_secret: string;
}

/**
 * A pair that was replaced, but stays valid for a while, so that clients can
 * switch.
 */
export interface PreviousKeyPair extends KeyPair {
  /** ISO 8601, UTC. */
  readonly valid_until: string;
}

export interface RotatedPair extends KeyPair {
  readonly previous?: readonly PreviousKeyPair[];
}

/** One of several keys of an environment. */
export interface NamedKey extends RotatedPair {
  readonly name: string;
  /**
   * Names and globs of the variables that it can read; all variables if
   * undefined.
   */
  readonly only?: readonly string[];
  /** ISO 8601, UTC. Previous pairs also end then. */
  readonly valid_until?: string;
  /** The time of the last rotation. ISO 8601, UTC. */
  readonly rotated_at?: string;
}

/** An environment with the pair that can read all its variables. */
export interface EnvironmentRecord extends Environment, RotatedPair {
  readonly keys?: readonly NamedKey[];
}

/** Returns the current pair and all previous ones, valid or not. */
export function allKeyPairs(key: RotatedPair): (KeyPair | PreviousKeyPair)[] {
  return [key, ...(key.previous ?? [])];
}

/**
 * Returns the time at which a key or pair expires, in Unix milliseconds, or
 * `Infinity`.
 */
export function expiryMs({ valid_until }: KeyPair & { valid_until?: string | undefined }) {
  return valid_until === undefined ? Number.POSITIVE_INFINITY : Date.parse(valid_until);
}

/** The data that a key can read: an environment, or some of its variables. */
export interface Scope extends Pick<Environment, "id" | "application"> {
  /** The patterns of a {@link NamedKey}. */
  readonly only?: readonly string[] | undefined;
}

/** A key pair, and the facts that a request signed with it needs. */
export interface KeyGrant {
  readonly environment: EnvironmentRecord;
  /** The name of a named key. */
  readonly client: string | undefined;
  /** This pair, or the pair that has replaced it. */
  readonly current: KeyPair;
  readonly pair: KeyPair;
  /** Unix time in milliseconds, or `Infinity`. */
  readonly validUntil: number;
  readonly scope: Scope;
}

/** Returns all pairs of an environment and its named keys, valid or not. */
export function keyGrants(environment: EnvironmentRecord): KeyGrant[] {
  return [environment, ...(environment.keys ?? [])].flatMap((current) => {
    const { name, only } = current === environment ? {} : (current as Partial<NamedKey>);
    const { id, application } = environment;
    const scope: Scope = { id, application, ...(only && { only }) };
    return allKeyPairs(current).map((pair) => {
      const validUntil = Math.min(expiryMs(current), expiryMs(pair));
      return { environment, client: name, current, pair, validUntil, scope };
    });
  });
}

/** Returns `shop/development`, which is unique among all applications. */
export function qualifiedName({ application, name }: EnvironmentName): string {
  return `${application}/${name}`;
}

/**
 * Parses `staging`, or `shop/staging` for another application than `own`.
 *
 * @throws UsageError
 */
export function parseEnvironmentName(text: string, own = "default"): EnvironmentName {
  const [name = "", application = own, ...rest] = text.split("/").reverse();
  if (rest.length > 0 || !NAME_PART.test(name) || !NAME_PART.test(application))
    throw new UsageError(
      `the name must be like staging or shop/staging, each part ${NAME_PART_RULE}`,
    );
  return { application, name };
}

/**
 * Returns the name of an environment, with its application only if the name
 * alone is ambiguous.
 */
export function shortestName(environment: Environment, all: readonly Environment[]): string {
  const isUnique = all.filter(({ name }) => name === environment.name).length === 1;
  return isUnique ? environment.name : qualifiedName(environment);
}

/**
 * Finds an environment by its name or qualified name.
 *
 * @throws NotFoundError; UsageError if several applications have the name
 */
export function findEnvironment<E extends Environment>(
  environments: readonly E[],
  name: string,
): E {
  const matches: E[] = [];
  for (const environment of environments)
    if (environment.name === name || qualifiedName(environment) === name) matches.push(environment);
  const [match, ...others] = matches;
  if (match && others.length === 0) return match;
  const names = (match ? matches : environments).map(qualifiedName);
  const list = names.join(", ") || "none";
  if (match) throw new UsageError(`the environment "${name}" is ambiguous: name one of ${list}`);
  const hint = suggestion(name, [...environments.map((each) => each.name), ...names]);
  throw new NotFoundError(`no environment named "${name}"${hint}; there is ${list}`);
}

/**
 * Finds API secrets that don't protect their environment. An API key is not
 * secret, since each request sends it.
 *
 * @param now Unix time in milliseconds: expired pairs don't count
 * @returns the problems, with the names of environments and keys, without
 *   secrets
 */
export function describeWeakSecrets(
  environments: readonly EnvironmentRecord[],
  now: number,
): string[] {
  const grants = environments.flatMap(keyGrants).filter(({ validUntil }) => now < validUntil);
  const keys = new Set(grants.map(({ pair }) => pair.api_key));
  const [short, same] = [new Set<string>(), new Set<string>()];
  const bySecret = new Map<string, Set<string>>();
  for (const grant of grants) {
    const { api_secret } = grant.pair;
    const name = grantName(grant);
    if (api_secret.length < MIN_SECRET_LENGTH) short.add(name);
    if (keys.has(api_secret)) same.add(name);
    bySecret.set(api_secret, (bySecret.get(api_secret) ?? new Set()).add(name));
  }
  const problem = (text: string, names: ReadonlySet<string>, least = 1) =>
    names.size < least ? [] : [`${text}: ${[...names].join(", ")}`];
  return [
    ...problem(`API secrets shorter than ${MIN_SECRET_LENGTH} characters can be guessed`, short),
    ...problem("API secrets that are also an API key are not secret", same),
    ...[...bySecret.values()].flatMap((names) =>
      problem("with the same API secret, clients of one can read the others", names, 2),
    ),
  ];
}

function grantName({ environment, client }: KeyGrant): string {
  return qualifiedName(environment) + (client === undefined ? "" : ` (key ${client})`);
}

/** Returns the current pairs of keys that expire. */
export function expiringKeys(environments: readonly EnvironmentRecord[]): KeyGrant[] {
  return environments
    .flatMap(keyGrants)
    .filter(({ pair, current, validUntil }) => pair === current && Number.isFinite(validUntil));
}
