import { hash } from "node:crypto";
import type { Environment } from "../domain/environment.js";
import { byId, type Data } from "./data.js";

/** By the ids of environments. Of replaced data, they are not kept. */
const revisions = new WeakMap<Data, Map<number, string>>();

/**
 * A hash of everything that can be read of an environment: the same on every replica, after a restart, and for all kinds
 * of stores. Made when it is first asked for.
 */
export function revisionOf(data: Data, { id, application }: Omit<Environment, "name">): string {
  const known = revisions.get(data) ?? new Map<number, string>();
  const revision = known.get(id) ?? hashOf(data, id, application);
  revisions.set(data, known.set(id, revision));
  return revision;
}

/** Keeps revisions that another thread has made. */
export function keepRevisions(data: Data, made: Map<number, string>): void {
  revisions.set(data, made);
}

function hashOf({ variables, values }: Data, environment: number, application: string): string {
  const readable = [
    variables.filter((record) => record.application === application).sort(byId),
    values.filter((record) => record.environment_id === environment).sort(byId),
  ];
  // 128 bits.
  return hash("sha256", JSON.stringify(readable), "base64url").slice(0, 22);
}
