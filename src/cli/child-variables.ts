import type { VariableSource } from "../domain/source.js";
import { type JsonValue, valueText } from "../domain/variable.js";
import type { Decrypt } from "./decryption.js";
import { missingNamesError } from "./missing-names.js";
import { readStoredEntries } from "./read-entries.js";
import { isReservedName } from "./reserved-names.js";

/** Which variables a program gets, and under which names. */
export interface VariableRules {
  /** Names without the prefix; all when undefined. */
  only: readonly string[] | undefined;
  prefix: string;
  allowReserved: boolean;
  /** Whether a name is taken by what wins over our variables. */
  isTaken: (name: string) => boolean;
}

/** A variable under the name that the program sees. */
export interface ChildVariable {
  name: string;
  value: JsonValue;
}

export interface ChildVariables {
  variables: ChildVariable[];
  /** Names, with the prefix, that were left out because a program could be taken over by them. */
  refused: string[];
  /** Names, with the prefix, of the variables that something else has won over. */
  taken: string[];
}

/**
 * Reads what a program is to get. Only that is decrypted.
 *
 * @throws NotFoundError that names each of `only` that has no value, DecryptionError
 */
export async function readChildVariables(
  { only, prefix, allowReserved, isTaken }: VariableRules,
  source: VariableSource,
  decrypt: Decrypt,
): Promise<ChildVariables> {
  const stored = await readStoredEntries(source);
  const names = new Set(stored.map(({ name }) => name));
  const missing = only?.filter((name) => !names.has(name)) ?? [];
  if (missing.length > 0) throw await missingNamesError(missing, source);
  const isRefused = (name: string) => !allowReserved && isReservedName(prefix + name);
  const wanted = stored.filter(({ name }) => only?.includes(name) ?? true);
  const chosen = wanted.filter(({ name }) => !isTaken(prefix + name));
  return {
    variables: chosen
      .filter(({ name }) => !isRefused(name))
      .map((entry) => ({ name: prefix + entry.name, value: decrypt(entry.name, entry.value) })),
    refused: chosen.filter(({ name }) => isRefused(name)).map(({ name }) => prefix + name),
    taken: wanted.map(({ name }) => prefix + name).filter(isTaken),
  };
}

/** What of our own environment a program gets: all, or with `pristine` only the path to other programs. */
export function inheritedEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  pristine: boolean,
): Record<string, string> {
  const set = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return Object.fromEntries(pristine ? set.filter(([name]) => name === "PATH") : set);
}

/** The whole environment of the program. A variable called `__proto__` is one like any other in it. */
export function childEnvironment(
  inherited: Readonly<Record<string, string>>,
  variables: readonly ChildVariable[],
): Record<string, string> {
  const ours = variables.map(({ name, value }) => [name, valueText(value)] as const);
  return Object.fromEntries([...Object.entries(inherited), ...ours]);
}
