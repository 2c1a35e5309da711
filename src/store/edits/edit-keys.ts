import { NotFoundError, UsageError } from "../../kit/text/errors.js";
import { suggestion } from "../../kit/text/nearest.js";
import {
  findEnvironment,
  type KeyPair,
  type NamedKey,
  qualifiedName,
} from "../../model/environment.js";
import type { Data } from "../data.js";
import { type RotationTimes, replaceEnvironment, withNewPair } from "./edit-environments.js";

/** @throws NotFoundError; UsageError for an ambiguous environment or a name that it has */
export function addKey(data: Data, environment: string, added: NamedKey): Data {
  return withKeys(data, environment, (keys, of) => {
    if (keys.some(({ name }) => name === added.name))
      throw new UsageError(`${of} has a key "${added.name}" already`);
    return [...keys, added];
  });
}

/** @throws NotFoundError; UsageError for an ambiguous environment, and an end in the past */
export function rotateKey(
  data: Data,
  environment: string,
  name: string,
  pair: KeyPair,
  rotation: RotationTimes,
): Data {
  const { now, validUntil } = rotation;
  return withKey(data, environment, name, (rotated, of) => {
    const valid_until = validUntil ?? rotated.valid_until;
    if (valid_until !== undefined && Date.parse(valid_until) <= now)
      throw new UsageError(
        `the key "${name}" of ${of} expired at ${valid_until}: give it a new end with --expires`,
      );
    const rotated_at = new Date(now).toISOString();
    return [
      { ...withNewPair(rotated, pair, rotation), rotated_at, ...(valid_until && { valid_until }) },
    ];
  });
}

/** @throws NotFoundError; UsageError for an ambiguous environment */
export function removeKey(data: Data, environment: string, name: string): Data {
  return withKey(data, environment, name, () => []);
}

type Change<T> = (changed: T, environment: string) => readonly NamedKey[];

function withKey(data: Data, environment: string, name: string, change: Change<NamedKey>): Data {
  return withKeys(data, environment, (keys, of) => {
    const names = keys.map((key) => key.name);
    if (names.includes(name))
      return keys.flatMap((key) => (key.name === name ? change(key, of) : key));
    const hint = suggestion(name, names);
    throw new NotFoundError(
      `${of} has no key "${name}"${hint}; there is ${names.join(", ") || "none"}`,
    );
  });
}

function withKeys(data: Data, environment: string, change: Change<readonly NamedKey[]>): Data {
  const changed = findEnvironment(data.environments, environment);
  const { keys: before = [], ...fields } = changed;
  const keys = change(before, qualifiedName(changed));
  return replaceEnvironment(data, changed, { ...fields, ...(keys.length > 0 && { keys }) });
}
