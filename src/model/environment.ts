import { NotFoundError, UsageError } from "../kit/text/errors.js";
import { suggestion } from "../kit/text/nearest.js";

export interface Credentials {
  apiKey: string;
  apiSecret: string;
}

/** Keys and secrets must travel in a header unchanged. A comma would make one look like two. */
export const CREDENTIAL_PATTERN = /^[\x21-\x2b\x2d-\x7e]{1,512}$/;
export const CREDENTIAL_RULE = "1 to 512 visible ASCII characters other than a comma";

/** Names of applications and environments are joined by a slash: `shop/development`. */
export const LABEL_PATTERN = /^[^/\p{Cc}]{1,255}$/u;
export const LABEL_RULE = "1 to 255 characters, none of them a slash or a control character";

export interface Environment {
  readonly id: number;
  readonly application: string;
  readonly name: string;
}

/** Credentials as in a data file. */
export interface KeyPair {
  readonly api_key: string;
  readonly api_secret: string;
}

/** A pair that was rotated out but stays valid for a while, so that clients can switch. */
export interface PreviousKeyPair extends KeyPair {
  /** ISO 8601, UTC. */
  readonly valid_until: string;
}

/** A pair, and the pairs that it has replaced. */
export interface RotatedPair extends KeyPair {
  readonly previous?: readonly PreviousKeyPair[];
}

/** One of several keys of an environment, as in a data file. */
export interface NamedKey extends RotatedPair {
  /** Unique in the environment. */
  readonly name: string;
  /** Names and globs of the variables that it can read; all if undefined. */
  readonly only?: readonly string[];
  /** ISO 8601, UTC. Previous pairs end then, too. */
  readonly valid_until?: string;
  /** When it was rotated last. ISO 8601, UTC. */
  readonly rotated_at?: string;
}

/** An environment as in a data file, with the pair that can read all of it. */
export interface EnvironmentRecord extends Environment, RotatedPair {
  readonly keys?: readonly NamedKey[];
}

/** The current pair and all pairs that were rotated out, valid or not. */
export function allKeyPairs(key: RotatedPair): (KeyPair | PreviousKeyPair)[] {
  return [key, ...(key.previous ?? [])];
}

/**
 * When a key or a pair stops being valid, in Unix milliseconds: `Infinity` if that is not limited.
 */
export function endOfValidity({
  valid_until,
}: KeyPair & { readonly valid_until?: string | undefined }): number {
  return valid_until === undefined ? Number.POSITIVE_INFINITY : Date.parse(valid_until);
}

/** The data that a key can read: an environment, or some variables of it. */
export interface Scope extends Pick<Environment, "id" | "application"> {
  /** The patterns of a {@link NamedKey}. */
  readonly only?: readonly string[] | undefined;
}

/** A key pair, with the data that requests with it need. */
export interface KeyOwner {
  readonly environment: EnvironmentRecord;
  /** The name of a named key. */
  readonly client: string | undefined;
  /** The pair that is current: this one, or the one that has replaced it. */
  readonly current: KeyPair;
  readonly pair: KeyPair;
  /** Unix time in milliseconds, or `Infinity`. */
  readonly validUntil: number;
  readonly scope: Scope;
}

/** The pairs of an environment and of its named keys, current or rotated out, valid or not. */
export function keyOwners(environment: EnvironmentRecord): KeyOwner[] {
  return [environment, ...(environment.keys ?? [])].flatMap((current) => {
    const { name, only } = current === environment ? {} : (current as Partial<NamedKey>);
    const { id, application } = environment;
    const scope: Scope = { id, application, ...(only && { only }) };
    return allKeyPairs(current).map((pair) => {
      const validUntil = Math.min(endOfValidity(current), endOfValidity(pair));
      return { environment, client: name, current, pair, validUntil, scope };
    });
  });
}

/** `shop/development`, which is unique over all applications. */
export function qualifiedName({ application, name }: Omit<Environment, "id">): string {
  return `${application}/${name}`;
}

/** @param text `staging`, or `shop/staging` for another application @throws UsageError */
export function parseEnvironmentName(text: string, own = "default"): Omit<Environment, "id"> {
  const [name = "", application = own, ...rest] = text.split("/").reverse();
  if (rest.length > 0 || ![name, application].every((label) => LABEL_PATTERN.test(label))) {
    throw new UsageError(`the name must be like staging or shop/staging, each part ${LABEL_RULE}`);
  }
  return { application, name };
}

/** The name of an environment, with its application only where the name alone is ambiguous. */
export function shortestName(environment: Environment, all: readonly Environment[]): string {
  const isUnique = all.filter(({ name }) => name === environment.name).length === 1;
  return isUnique ? environment.name : qualifiedName(environment);
}

/**
 * Finds an environment by its name, or by its qualified name where the name is ambiguous.
 *
 * @throws NotFoundError; UsageError when more than one application has it
 */
export function findEnvironment<E extends Environment>(
  environments: readonly E[],
  name: string,
): E {
  const [match, ...others] = environments.filter(
    (e) => e.name === name || qualifiedName(e) === name,
  );
  const namesOf = (list: readonly Environment[]) => list.map(qualifiedName).join(", ") || "none";
  if (match === undefined) {
    const hint = suggestion(name, [
      ...environments.map((e) => e.name),
      ...environments.map(qualifiedName),
    ]);
    throw new NotFoundError(
      `no environment named "${name}"${hint}; there is ${namesOf(environments)}`,
    );
  }
  if (others.length === 0) return match;
  throw new UsageError(
    `the environment "${name}" is ambiguous: name one of ${namesOf([match, ...others])}`,
  );
}

/**
 * Random letters and digits of this length can't be guessed, even with a signed request to test
 * guesses on.
 */
const MIN_SECRET_LENGTH = 16;

/**
 * Finds API secrets that don't protect their environment. An API key is sent with each request.
 *
 * @param now Unix time in milliseconds: expired pairs don't count
 * @returns the problems, with the names of the environments and keys, and no secrets
 */
export function findWeakSecrets(environments: readonly EnvironmentRecord[], now: number): string[] {
  const owners = environments.flatMap(keyOwners).filter(({ validUntil }) => now < validUntil);
  const pairs = owners.map((owner) => ({ ...owner.pair, name: ownerName(owner) }));
  const keys = new Set(pairs.map(({ api_key }) => api_key));
  const namesBySecret = new Map<string, Set<string>>();
  for (const { api_secret, name } of pairs)
    namesBySecret.set(api_secret, (namesBySecret.get(api_secret) ?? new Set()).add(name));
  const namesWhere = (isWeak: (pair: KeyPair) => boolean) =>
    new Set(pairs.filter(isWeak).map(({ name }) => name));
  const findings: [text: string, names: Set<string>][] = [
    [
      `API secrets shorter than ${MIN_SECRET_LENGTH} characters can be guessed`,
      namesWhere(({ api_secret }) => api_secret.length < MIN_SECRET_LENGTH),
    ],
    [
      "API secrets that are also an API key are not secret",
      namesWhere(({ api_secret }) => keys.has(api_secret)),
    ],
  ];
  for (const names of namesBySecret.values())
    if (names.size > 1)
      findings.push(["with the same API secret, clients of one can read the others", names]);
  return findings.flatMap(([text, names]) =>
    names.size > 0 ? [`${text}: ${[...names].join(", ")}`] : [],
  );
}

function ownerName({ environment, client }: KeyOwner): string {
  return client === undefined
    ? qualifiedName(environment)
    : `${qualifiedName(environment)} (key ${client})`;
}

/** The current pairs of named keys that expire, whenever that is. */
export function expiringKeys(environments: readonly EnvironmentRecord[]): KeyOwner[] {
  return environments
    .flatMap(keyOwners)
    .filter(({ pair, current, validUntil }) => pair === current && Number.isFinite(validUntil));
}
