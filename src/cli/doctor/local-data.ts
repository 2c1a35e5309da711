import { type EnvironmentRecord, findWeakSecrets, qualifiedName } from "../../domain/environment.js";
import { AppvarsError, type ErrorCode } from "../../domain/errors.js";
import { chooseEnvironment, localData } from "../editing/open-data.js";
import { openTrafficWarning } from "../editing/store-data.js";
import { type Io, withNotice } from "../output/io.js";
import { rotateCommand } from "../serving/credentials.js";
import { type DataPlace, placeFlags, type StorePlace } from "../settings/data-place.js";
import { type Finding, ok, problem, skipped, warning } from "./finding.js";

export interface DataFacts {
  content: { environments: readonly EnvironmentRecord[]; variables: number } | { error: AppvarsError };
  /** Files that are used although another user may have written them. */
  notices: string[];
}

export async function gatherData(place: DataPlace, surroundings: Io): Promise<DataFacts> {
  const notices: string[] = [];
  const io = withNotice(surroundings, (text) => void notices.push(text));
  try {
    const store = await (await localData(place, io)).open();
    const { environments, variables } = store.snapshot;
    await store.close();
    return { content: { environments, variables: variables.length }, notices };
  } catch (error) {
    if (error instanceof AppvarsError) return { content: { error }, notices };
    throw error;
  }
}

/** Whether a data file can be read and is valid. */
export function checkDataFile({ content }: DataFacts, path: string): Finding {
  if ("error" in content)
    return problem(content.error.code, content.error.message, "correct the file, or use another one");
  return ok(`${path} is valid: ${sizeOf(content)}`);
}

const STORE_FIXES: Partial<Record<ErrorCode, string>> = {
  usage: "correct this setting",
  unauthorized: "correct APPVARS_STORE_USER or its password, or let etcd's administrator grant the role",
  unreachable: "check that etcd runs at these addresses, and that --store names them",
};

/** Whether a store can be reached and read, and is valid. */
export function checkStore({ content, notices }: DataFacts, place: StorePlace): Finding[] {
  const warnings = [
    ...notices.map((notice) => warning(notice, "correct this, unless you expect it")),
    ...openTrafficWarning(place).map((text) => warning(text, "set up TLS in etcd, and use etcds://")),
  ];
  if ("error" in content) {
    const { code, message } = content.error;
    return [...warnings, problem(code, message, STORE_FIXES[code] ?? "correct the data, or use another store")];
  }
  return [...warnings, ok(`${place.address.url} can be read and is valid: ${sizeOf(content)}`)];
}

function sizeOf({ environments, variables }: { environments: readonly unknown[]; variables: number }): string {
  return `${environments.length} environments, ${variables} variables`;
}

/** Whether the API secrets in it protect their environments. @param now Unix milliseconds */
export function checkSecrets({ content }: DataFacts, place: DataPlace, now: number): Finding | Finding[] {
  if ("error" in content) return notRead(place);
  const problems = findWeakSecrets(content.environments, now);
  if (problems.length === 0) return ok("each environment has its own secret, and all are long enough");
  return problems.map((problem) => warning(problem, rotateCommand(placeFlags(place))));
}

/** Whether `--env` names an environment of the data. */
export function checkEnvironment({ content }: DataFacts, place: DataPlace, name: string | undefined): Finding {
  if ("error" in content) return notRead(place);
  try {
    return ok(qualifiedName(chooseEnvironment(content.environments, name)));
  } catch (error) {
    if (!(error instanceof AppvarsError)) throw error;
    return problem(error.code, error.message, "choose one with --env (APPVARS_ENV)");
  }
}

function notRead({ kind }: DataPlace): Finding {
  const file = "the data file can't be read: see data_file";
  return skipped(kind === "file" ? file : "the store can't be read: see store");
}
