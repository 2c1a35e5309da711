import { realpath } from "node:fs/promises";
import { InvalidDataError } from "../../domain/errors.js";
import { durationText } from "../../domain/printable.js";
import { inspectLock, LEASE_MS } from "../../files/file-lock.js";
import { describeHolder, holderOf, identifyHost, stateOf } from "../../files/lock-holder.js";
import { type Finding, ok, problem, warning } from "./finding.js";

/** An error if something else is at the path of the lock. */
export type LockFacts =
  | {
      /** Milliseconds since its holder renewed it. */
      age: number;
      /** Whether this user can read it, and so remove it if its holder has died. */
      isOpen: boolean;
      /** Undefined if only its age can tell. */
      isAlive: boolean | undefined;
      /** `process 4242` */
      holder: string;
    }
  | { error: InvalidDataError };

/**
 * Undefined if the file is not locked.
 *
 * @param clock Unix milliseconds
 */
export async function findLock(path: string, clock: () => number): Promise<LockFacts | undefined> {
  try {
    const lock = await inspectLock(await realpath(path));
    if (!lock) return undefined;
    const [host, holder] = [await identifyHost(), holderOf(lock.tokens?.[0] ?? "")];
    const state = await stateOf(holder, host);
    return {
      age: Math.max(0, clock() - lock.renewedAt),
      isOpen: lock.tokens !== undefined,
      isAlive: state === "unknown" ? undefined : state !== "dead",
      holder: describeHolder(holder, host, state),
    };
  } catch (error) {
    return error instanceof InvalidDataError ? { error } : undefined;
  }
}

/** Whether a process is writing the file, or has died while doing so. */
export function checkLock(path: string, lock: LockFacts | undefined): Finding {
  if (lock === undefined) return ok("no process is writing the file");
  if ("error" in lock) {
    const message = `${path} ${lock.error.message}`;
    return problem(lock.error.code, message, "check what it is, and move it away");
  }
  const age = durationText(lock.age);
  if (lock.isAlive ?? lock.age < LEASE_MS) {
    return warning(`${lock.holder} is writing the file, and renewed its lock ${age} ago`, "wait until it has finished");
  }
  const message = `${lock.holder} died while writing ${path}, ${age} ago, and left its lock`;
  if (lock.isOpen) return warning(message, "nothing: the next writer removes the lock");
  return problem("invalid_data", message, `remove ${path}.lock as the user who owns it`);
}
