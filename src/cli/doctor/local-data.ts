import { type EnvironmentRecord, findWeakSecrets, qualifiedName } from "../../domain/environment.js";
import { AppvarsError } from "../../domain/errors.js";
import { rotateCommand } from "../serving/credentials.js";
import { type DataPlace, placeFlags, placeName } from "../settings/data-place.js";
import { localData } from "../sources/open-local.js";
import { chooseEnvironment } from "../sources/open-source.js";
import type { FileUser } from "../sources/safe-files.js";
import { type Finding, ok, problem, skipped, warning } from "./finding.js";

export type DataFacts = { environments: readonly EnvironmentRecord[]; variables: number } | { error: AppvarsError };

export async function gatherData(place: DataPlace, io: FileUser): Promise<DataFacts> {
  try {
    const store = await (await localData(place, io)).open();
    const { environments, variables } = store.snapshot;
    await store.close();
    return { environments, variables: variables.length };
  } catch (error) {
    if (error instanceof AppvarsError) return { error };
    throw error;
  }
}

/** Whether the data can be read and is valid. */
export function checkData(facts: DataFacts, place: DataPlace): Finding {
  if ("error" in facts) return problem(facts.error.code, facts.error.message, "correct the file, or use another one");
  return ok(`${placeName(place)} is valid: ${facts.environments.length} environments, ${facts.variables} variables`);
}

/** Whether the API secrets in it protect their environments. @param now Unix milliseconds */
export function checkSecrets(facts: DataFacts, place: DataPlace, now: number): Finding | Finding[] {
  if ("error" in facts) return skipped("the data file can't be read: see data_file");
  const problems = findWeakSecrets(facts.environments, now);
  if (problems.length === 0) return ok("each environment has its own secret, and all are long enough");
  return problems.map((problem) => warning(problem, rotateCommand(placeFlags(place))));
}

/** Whether `--env` names an environment of the data. */
export function checkEnvironment(facts: DataFacts, name: string | undefined): Finding {
  if ("error" in facts) return skipped("the data file can't be read: see data_file");
  try {
    return ok(qualifiedName(chooseEnvironment(facts.environments, name)));
  } catch (error) {
    if (!(error instanceof AppvarsError)) throw error;
    return problem(error.code, error.message, "choose one with --env (APPVARS_ENV)");
  }
}
