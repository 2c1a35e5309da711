import { randomBytes } from "node:crypto";
import { NotFoundError, UsageError } from "../../kit/text/errors.js";
import { suggestion } from "../../kit/text/nearest.js";
import {
  type EnvironmentName,
  type EnvironmentRecord,
  expiryMs,
  findEnvironment,
  type KeyGrant,
  type KeyPair,
  keyGrants,
  type NamedKey,
  qualifiedName,
  type RotatedPair,
} from "../../model/environment.js";
import { contentsOf, type Data, lastId, recordsOf, variablesOf } from "../data.js";
import { setValues, withRecords } from "./edit-values.js";

/** @throws UsageError when it exists */
export function addEnvironment(data: Data, added: EnvironmentName, credentials: KeyPair): Data {
  refuseTaken(data, added);
  const record = { id: lastId(data, "environments") + 1, ...added, ...credentials };
  return { ...data, environments: [...data.environments, record] };
}

function refuseTaken({ environments }: Data, added: EnvironmentName): void {
  const name = qualifiedName(added);
  if (environments.some((environment) => qualifiedName(environment) === name))
    throw new UsageError(`the environment ${name} already exists`);
}

/**
 * Copies the values of an environment, and definitions that the other
 * application lacks.
 *
 * @throws UsageError for a value that does not fit the type of the variable
 *   there
 */
export function copyValues(data: Data, from: EnvironmentRecord, to: EnvironmentName): Data {
  const { variables, values } = recordsOf(data, from);
  const contents = contentsOf(values);
  const existing = variablesOf(data, to.application);
  const copies = variables.map((variable) => {
    return { ...variable, ...existing.get(variable.name), value: contents.get(variable.id) };
  });
  return setValues(data, findEnvironment(data.environments, qualifiedName(to)), copies);
}

/** @throws UsageError if the name is taken or in another application */
export function renameEnvironment(
  data: Data,
  renamed: EnvironmentRecord,
  newName: EnvironmentName,
): Data {
  if (newName.application !== renamed.application)
    throw new UsageError(
      `${qualifiedName(renamed)} has variables of its application: it can't have a name in another`,
    );
  refuseTaken(data, newName);
  return replaceEnvironment(data, { ...renamed, ...newName });
}

export interface RotationTimes {
  /** Unix time in milliseconds. */
  now: number;
  /** Milliseconds for which the old pair stays valid; 0 ends all earlier pairs. */
  grace: number;
  /** A new end of a named key. ISO 8601, UTC. */
  validUntil?: string | undefined;
}

export function rotateEnvironment(
  data: Data,
  name: string,
  credentials: KeyPair,
  times: RotationTimes,
): Data {
  const rotated = findEnvironment(data.environments, name);
  return replaceEnvironment(data, withNewPair(rotated, credentials, times));
}

/**
 * Rotates an environment or a named key. A later expiry applies to the new pair
 * only.
 */
function withNewPair<T extends RotatedPair & Pick<NamedKey, "valid_until">>(
  key: T,
  credentials: KeyPair,
  { now, grace, validUntil }: RotationTimes,
) {
  const { previous: earlier = [], ...fields } = key;
  const { api_key, api_secret } = key;
  const end = Math.min(expiryMs(key), expiryMs({ ...key, valid_until: validUntil }));
  const old = { api_key, api_secret, valid_until: new Date(now + grace).toISOString() };
  const previous = [old, ...earlier]
    .map((pair) =>
      expiryMs(pair) > end ? { ...pair, valid_until: new Date(end).toISOString() } : pair,
    )
    .filter((pair) => now < expiryMs(pair));
  return { ...fields, ...credentials, ...(grace > 0 && previous.length > 0 && { previous }) };
}

function replaceEnvironment(data: Data, record: EnvironmentRecord): Data {
  return { ...data, environments: withRecords(data.environments, [record]) };
}

/** Replaces the credentials of all environments, and removes named keys. */
export function replaceCredentials(data: Data, nextPair: () => KeyPair): Data {
  const environments = data.environments.map(({ previous: _, keys: __, ...fields }) => ({
    ...fields,
    ...nextPair(),
  }));
  return { ...data, environments };
}

/**
 * Removes an environment and its values.
 *
 * @throws NotFoundError; UsageError for an ambiguous name
 */
export function removeEnvironment(data: Data, name: string): Data {
  const removed = findEnvironment(data.environments, name);
  return {
    ...data,
    environments: data.environments.filter((environment) => environment !== removed),
    values: data.values.filter((value) => value.environment_id !== removed.id),
  };
}

/**
 * Makes a key of 128 random bits and a secret of 256, in hex, which never needs
 * quoting.
 */
export function freshCredentials(): KeyPair {
  return { api_key: randomBytes(16).toString("hex"), api_secret: randomBytes(32).toString("hex") };
}

export type ChangeWithPair = (data: Data, pair: KeyPair) => Data;

/** Gives out new credentials in one write. Resolves to what they can read. */
export async function issueCredentials(
  update: (change: (data: Data) => Data) => Promise<unknown>,
  change: ChangeWithPair,
): Promise<KeyGrant> {
  const pair = freshCredentials();
  let issued: KeyGrant | undefined;
  await update((data) => {
    const changed = change(data, pair);
    const grants = changed.environments.flatMap(keyGrants);
    const grant = grants.find((each) => each.pair.api_key === pair.api_key);
    issued = grant && { ...grant, pair };
    return changed;
  });
  if (!issued) throw new Error("the new key is missing from the data");
  return issued;
}

/** @throws as {@link removeKey}; UsageError if the environment has the key */
export function addKey(data: Data, environment: string, added: NamedKey): Data {
  return withKeys(data, environment, (keys, label) => {
    if (keys.some(({ name }) => name === added.name))
      throw new UsageError(`${label} already has a key "${added.name}"`);
    return [...keys, added];
  });
}

/** @throws as {@link removeKey}; UsageError for an end in the past */
export function rotateKey(
  data: Data,
  environment: string,
  name: string,
  pair: KeyPair,
  rotation: RotationTimes,
): Data {
  const { now, validUntil } = rotation;
  return withKey(data, environment, name, (rotated, label) => {
    const valid_until = validUntil ?? rotated.valid_until;
    if (valid_until !== undefined && Date.parse(valid_until) <= now)
      throw new UsageError(
        `the key "${name}" of ${label} expired at ${valid_until}: give it a new end with --expires`,
      );
    const rotated_at = new Date(now).toISOString();
    const key = withNewPair(rotated, pair, rotation);
    return [{ ...key, rotated_at, ...(valid_until && { valid_until }) }];
  });
}

/** @throws NotFoundError; UsageError for an ambiguous environment */
export function removeKey(data: Data, environment: string, name: string): Data {
  return withKey(data, environment, name, () => []);
}

type EditKeys<T> = (changed: T, environment: string) => readonly NamedKey[];

function withKey(data: Data, environment: string, name: string, change: EditKeys<NamedKey>): Data {
  return withKeys(data, environment, (keys, label) => {
    const names = keys.map((key) => key.name);
    if (names.includes(name))
      return keys.flatMap((key) => (key.name === name ? change(key, label) : key));
    const hint = suggestion(name, names);
    const list = names.join(", ") || "none";
    throw new NotFoundError(`${label} has no key "${name}"${hint}; there is ${list}`);
  });
}

function withKeys(data: Data, environment: string, change: EditKeys<readonly NamedKey[]>): Data {
  const changed = findEnvironment(data.environments, environment);
  const { keys: before = [], ...fields } = changed;
  const keys = change(before, qualifiedName(changed));
  return replaceEnvironment(data, { ...fields, ...(keys.length > 0 && { keys }) });
}
