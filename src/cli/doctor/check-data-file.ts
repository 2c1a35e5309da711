import { realpath, stat } from "node:fs/promises";
import { durationText } from "../../domain/duration-text.js";
import { type EnvironmentRecord, qualifiedName } from "../../domain/environment.js";
import { AppvarsError } from "../../domain/errors.js";
import { lockPathOf, STALE_MS } from "../../store/file-lock.js";
import { openDataFile } from "../../store/json-file-store.js";
import { chooseEnvironment } from "../choose-environment.js";
import { type Finding, ok, problem, skipped, warning } from "./finding.js";

/** What was found of a data file. */
export interface DataFileFacts {
  path: string;
  content: { environments: readonly EnvironmentRecord[]; variables: number } | { error: AppvarsError };
  /** Milliseconds since the holder of its lock has last renewed it; undefined when it is not locked. */
  lockAge: number | undefined;
}

/** @param clock Unix time in milliseconds */
export async function gatherDataFile(path: string, clock: () => number): Promise<DataFileFacts> {
  const lock = await realpath(path)
    .then((file) => stat(lockPathOf(file)))
    .catch(() => undefined);
  return { path, content: await readContent(path), lockAge: lock && Math.max(0, clock() - lock.mtimeMs) };
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

/** Whether the file keeps all rules. */
export function checkDataFile({ path, content }: DataFileFacts): Finding {
  if ("error" in content)
    return problem(content.error.code, content.error.message, "correct the file, or name another one");
  const { environments, variables } = content;
  return ok(`${path} is valid: ${environments.length} environments, ${variables} variables`);
}

/** Whether somebody is writing the file, or has died at it. */
export function checkLock({ path, lockAge }: DataFileFacts): Finding {
  if (lockAge === undefined) return ok("nobody is writing it");
  const age = durationText(lockAge);
  if (lockAge < STALE_MS) return warning(`another process is writing it, ${age} ago`, "wait until that is done");
  const message = `a process that was writing ${path} has died, ${age} ago, and left its lock`;
  return warning(message, "nothing: the next writer removes the lock");
}

/** Whether `--env` names an environment of the file. */
export function checkEnvironment({ content }: DataFileFacts, name: string | undefined): Finding {
  if ("error" in content) return skipped("the data file can't be read: see data_file");
  try {
    return ok(qualifiedName(chooseEnvironment(content.environments, name)));
  } catch (error) {
    if (!(error instanceof AppvarsError)) throw error;
    return problem(error.code, error.message, "name one with --env (APPVARS_ENV)");
  }
}
