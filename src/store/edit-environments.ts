import {
  type Environment,
  type EnvironmentRecord,
  findEnvironment,
  type KeyPair,
  qualifiedName,
} from "../domain/environment.js";
import { UsageError } from "../domain/errors.js";
import type { Data } from "./data.js";
import { nextId } from "./ids.js";

/**
 * Data with one more environment.
 *
 * @throws UsageError when there is such an environment already
 */
export function addEnvironment(data: Data, added: Omit<Environment, "id">, credentials: KeyPair): Data {
  const name = qualifiedName(added);
  if (data.environments.some((environment) => qualifiedName(environment) === name)) {
    throw new UsageError(`there is an environment ${name} already`);
  }
  const record = { id: nextId(data, "environments"), ...added, ...credentials };
  return { ...data, environments: [...data.environments, record] };
}

/** When a rotation happens, and how long the pair before it is still taken. */
export interface RotationTimes {
  /** Unix time in milliseconds. */
  now: number;
  /** Milliseconds; 0 ends every earlier pair at once. */
  grace: number;
}

/**
 * Data in which the environment has other credentials.
 *
 * @throws NotFoundError, UsageError for an ambiguous name
 */
export function rotateEnvironment(data: Data, name: string, credentials: KeyPair, times: RotationTimes): Data {
  const rotated = findEnvironment(data.environments, name);
  const { previous: _, ...kept } = rotated;
  const previous = times.grace > 0 ? previousPairs(rotated, times) : [];
  const record = { ...kept, ...credentials, ...(previous.length > 0 && { previous }) };
  return { ...data, environments: data.environments.map((item) => (item === rotated ? record : item)) };
}

/** Data in which every environment has other credentials, and none that it had before. */
export function replaceCredentials(data: Data, nextPair: () => KeyPair): Data {
  const environments = data.environments.map(({ previous: _, ...kept }) => ({ ...kept, ...nextPair() }));
  return { ...data, environments };
}

function previousPairs({ api_key, api_secret, previous = [] }: EnvironmentRecord, { now, grace }: RotationTimes) {
  const earlier = previous.filter((pair) => now < Date.parse(pair.valid_until));
  return [{ api_key, api_secret, valid_until: new Date(now + grace).toISOString() }, ...earlier];
}

/**
 * Data without the environment and its values. The definitions of variables stay: other environments share them.
 *
 * @throws NotFoundError, UsageError for an ambiguous name
 */
export function removeEnvironment(data: Data, name: string): Data {
  const removed = findEnvironment(data.environments, name);
  return {
    ...data,
    environments: data.environments.filter((environment) => environment !== removed),
    values: data.values.filter((value) => value.environment_id !== removed.id),
  };
}
