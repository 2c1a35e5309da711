import {
  type EnvironmentRecord,
  findEnvironment,
  type KeyPair,
  type NamedKey,
  qualifiedName,
} from "../domain/environment.js";
import { NotFoundError, UsageError } from "../domain/errors.js";
import { suggestion } from "../domain/nearest.js";
import type { Data } from "./data.js";
import { type RotationTimes, replaceEnvironment, withNewPair } from "./edit-environments.js";

/** @throws NotFoundError; UsageError if the environment has a key of this name, or for an ambiguous environment */
export function addKey(data: Data, environment: string, added: NamedKey): Data {
  return withKeys(data, environment, (keys, name) => {
    if (keys.some((key) => key.name === added.name)) throw new UsageError(`${name} has a key "${added.name}" already`);
    return [...keys, added];
  });
}

/**
 * Gives a named key another pair.
 *
 * @param validUntil ISO 8601, UTC: a new end of its validity
 * @throws NotFoundError; UsageError for an ambiguous environment, and a key that has expired without a new end
 */
export function rotateKey(
  data: Data,
  environment: string,
  name: string,
  credentials: KeyPair,
  times: RotationTimes,
  validUntil?: string,
): Data {
  const rotated_at = new Date(times.now).toISOString();
  return withKeys(data, environment, (keys, of) => {
    const rotated = findKey(keys, name, of);
    const valid_until = validUntil ?? rotated.valid_until;
    if (valid_until !== undefined && Date.parse(valid_until) <= times.now)
      throw new UsageError(`the key "${name}" of ${of} expired at ${valid_until}: give it a new end with --expires`);
    const key = { ...withNewPair(rotated, credentials, times), rotated_at, ...(valid_until && { valid_until }) };
    return keys.map((each) => (each === rotated ? key : each));
  });
}

/** @throws NotFoundError; UsageError for an ambiguous environment */
export function removeKey(data: Data, environment: string, name: string): Data {
  return withKeys(data, environment, (keys, of) => {
    const removed = findKey(keys, name, of);
    return keys.filter((key) => key !== removed);
  });
}

function withKeys(
  data: Data,
  environment: string,
  change: (keys: readonly NamedKey[], name: string) => readonly NamedKey[],
): Data {
  const changed = findEnvironment(data.environments, environment);
  const { keys: before = [], ...kept } = changed;
  const keys = change(before, qualifiedName(changed));
  const record: EnvironmentRecord = { ...kept, ...(keys.length > 0 && { keys }) };
  return replaceEnvironment(data, changed, record);
}

function findKey(keys: readonly NamedKey[], name: string, environment: string): NamedKey {
  const found = keys.find((key) => key.name === name);
  if (found) return found;
  const names = keys.map((key) => key.name);
  const hint = suggestion(name, names);
  throw new NotFoundError(`${environment} has no key "${name}"${hint}; there is ${names.join(", ") || "none"}`);
}
