import { realpath } from "node:fs/promises";
import { type EnvironmentRecord, findWeakSecrets, qualifiedName } from "../../domain/environment.js";
import { AppvarsError, InvalidDataError } from "../../domain/errors.js";
import { durationText } from "../../domain/printable.js";
import { inspectLock, LEASE_MS } from "../../files/file-lock.js";
import { describeHolder, holderOf, identifyHost, stateOf } from "../../files/lock-holder.js";
import { openDataFile } from "../../store/json-file-store.js";
import { rotateCommand } from "../serving/credentials.js";
import { chooseEnvironment } from "../sources/open-source.js";
import { type Finding, ok, problem, skipped, warning } from "./finding.js";

export interface DataFileFacts {
  path: string;
  content: { environments: readonly EnvironmentRecord[]; variables: number } | { error: AppvarsError };
  /** Undefined if the file is not locked; an error if something else is at the path of the lock. */
  lock: LockFacts | undefined;
}

type LockFacts =
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

/** @param clock Unix milliseconds */
export async function gatherDataFile(path: string, clock: () => number): Promise<DataFileFacts> {
  return { path, content: await readContent(path), lock: await findLock(path, clock) };
}

async function findLock(path: string, clock: () => number): Promise<LockFacts | undefined> {
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

async function readContent(path: string): Promise<DataFileFacts["content"]> {
  try {
    const store = await openDataFile(path);
    const { environments, variables } = store.snapshot;
    await store.close();
    return { environments, variables: variables.length };
  } catch (error) {
    if (error instanceof AppvarsError) return { error };
    throw error;
  }
}

export function checkDataFile({ path, content }: DataFileFacts): Finding {
  if ("error" in content)
    return problem(content.error.code, content.error.message, "correct the file, or use another one");
  const { environments, variables } = content;
  return ok(`${path} is valid: ${environments.length} environments, ${variables} variables`);
}

/** Whether the API secrets in it protect their environments. @param now Unix milliseconds */
export function checkSecrets({ path, content }: DataFileFacts, now: number): Finding | Finding[] {
  if ("error" in content) return skipped("the data file can't be read: see data_file");
  const problems = findWeakSecrets(content.environments, now);
  if (problems.length === 0) return ok("each environment has its own secret, and all are long enough");
  return problems.map((problem) => warning(problem, rotateCommand(path)));
}

/** Whether a process is writing the file, or has died while doing so. */
export function checkLock({ path, lock }: DataFileFacts): Finding {
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

/** Whether `--env` names an environment of the file. */
export function checkEnvironment({ content }: DataFileFacts, name: string | undefined): Finding {
  if ("error" in content) return skipped("the data file can't be read: see data_file");
  try {
    return ok(qualifiedName(chooseEnvironment(content.environments, name)));
  } catch (error) {
    if (!(error instanceof AppvarsError)) throw error;
    return problem(error.code, error.message, "choose one with --env (APPVARS_ENV)");
  }
}
