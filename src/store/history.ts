import { createHash } from "node:crypto";
import { NotFoundError } from "../kit/text/errors.js";
import {
  allKeyPairs,
  type Environment,
  type EnvironmentRecord,
  type RotatedPair,
} from "../model/environment.js";
import type { Data } from "./data.js";
import type { RecordChange, Records } from "./record-changes.js";

/** `user@host`, and the command, such as `set`. */
export interface Author {
  readonly actor: string;
  readonly command: string;
}

/** The command of a change by another program, which was made at its time or before. */
export const OUTSIDE = "changed outside";

export const NOBODY: Author = { actor: "unknown", command: "unknown" };

/** One write to the data, without credentials. */
export interface Change extends Author {
  /** The id is higher than that of each change before it. */
  readonly id: number;
  /** ISO 8601, UTC, by the writer's clock. */
  readonly time: string;
  /** The changed records, at least one. Environments are {@link RecordedEnvironment}s. */
  readonly changes: readonly RecordChange[];
}

export interface History {
  readonly data: Data;
  /** The writes that led to the data, newest first, as far as they are kept. Can be read once. */
  readonly changes: AsyncIterable<Change>;
}

/** Returns this write and all later ones, newest first. @throws NotFoundError */
export async function changesSince(id: number, changes: History["changes"]): Promise<Change[]> {
  const since: Change[] = [];
  for await (const change of changes) {
    if (change.id < id) break;
    since.push(change);
  }
  if (since.at(-1)?.id === id) return since;
  throw new NotFoundError(`there is no change ${id}; appvars history lists those that are known`);
}

export interface RecordedEnvironment extends Environment {
  /** 16 bits of a hash: enough to see whether credentials have changed, too little to guess them. */
  readonly credentials: string;
  /** Absent if there are none. */
  readonly keys?: readonly RecordedKey[];
}

interface RecordedKey {
  readonly name: string;
  readonly only?: readonly string[] | undefined;
  readonly valid_until?: string | undefined;
  readonly credentials: string;
}

export function withoutCredentials({ list, before, after }: RecordChange): RecordChange {
  if (list !== "environments") return { list, before, after };
  const recorded = (record: RecordChange["before"]) =>
    record && recordedEnvironment(record as EnvironmentRecord);
  return { list, before: recorded(before), after: recorded(after) };
}

export function recordedData({ environments, variables, values }: Data): Records {
  return { environments: environments.map(recordedEnvironment), variables, values };
}

function recordedEnvironment(environment: EnvironmentRecord): RecordedEnvironment {
  const { id, application, name, keys = [] } = environment;
  const recorded = keys.map((key): RecordedKey => {
    const { name, only, valid_until } = key;
    return { name, only, valid_until, credentials: credentialsOf(key) };
  });
  const credentials = credentialsOf(environment);
  return { id, application, name, credentials, ...(keys.length > 0 && { keys: recorded }) };
}

function credentialsOf(key: RotatedPair): string {
  const pairs = allKeyPairs(key).map(({ api_key, api_secret }) => [api_key, api_secret]);
  return createHash("sha256").update(JSON.stringify(pairs)).digest("hex").slice(0, 4);
}
