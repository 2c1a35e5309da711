import { realpath } from "node:fs/promises";
import { findWeakSecrets, qualifiedName } from "../../domain/environment.js";
import { type AppvarsError, type ErrorCode, InvalidDataError } from "../../domain/errors.js";
import { command } from "../../domain/shell.js";
import { findLock } from "../../files/file-lock.js";
import type { Data } from "../../store/data.js";
import { chooseEnvironment, localData } from "../editing/open-data.js";
import { openTrafficWarning } from "../editing/store-data.js";
import type { Io } from "../output/io.js";
import { rotateCommand } from "../output/shell-lines.js";
import { type DataPlace, dataPlaceName, type LocalSettings, placeFlags } from "../settings/connection.js";
import { collectNotices, type Finding, ok, problem, problemOf, skipped, warning } from "./finding.js";

/** By the kind of failure. */
const FIXES: Partial<Record<ErrorCode, string>> = {
  usage: "correct this setting",
  unauthorized: "correct APPVARS_STORE_USER or its password, or let etcd's administrator grant the role",
  unreachable: "check that etcd runs at these addresses, and that --store names them",
};

/**
 * Whether a data file or a store can be read and is valid, its secrets protect it, and has the environment.
 *
 * @param read for tests
 */
export async function checkLocal(
  { place, env }: LocalSettings,
  surroundings: Io,
  read = async (io: Io): Promise<Data> => (await localData(place, io)).read(),
): Promise<Record<string, Finding | Finding[]>> {
  const [check, name] = place.kind === "file" ? ["data_file", "data file"] : ["store", "store"];
  const traffic = place.kind === "store" ? openTrafficWarning(place) : [];
  const findings = traffic.map((text) => warning(text, "set up TLS in etcd, and use etcds://"));
  const data = await read(collectNotices(surroundings, findings)).catch((error: AppvarsError) => {
    findings.push(problemOf(error, FIXES[error.code] ?? "correct the data, or use another file or store"));
  });
  const size = data && `${data.environments.length} environments, ${data.variables.length} variables`;
  const unread = skipped(`the ${name} can't be read: see ${check}`);
  return {
    [check]: data ? [...findings, ok(`${dataPlaceName(place)} is valid: ${size}`)] : findings,
    secrets: data ? checkSecrets(data, place, surroundings.clock()) : unread,
    ...(place.kind === "file" && { lock: await checkLock(place.path) }),
    environment: data ? checkEnvironment(data, env) : unread,
  };
}

/** Whether the API secrets protect their environments. @param now Unix milliseconds */
function checkSecrets({ environments }: Data, place: DataPlace, now: number): Finding | Finding[] {
  const weak = findWeakSecrets(environments, now);
  if (weak.length === 0) return ok("each environment has its own secret, and all are long enough");
  return weak.map((message) => warning(message, rotateCommand(placeFlags(place))));
}

function checkEnvironment({ environments }: Data, name: string | undefined): Finding {
  try {
    return ok(qualifiedName(chooseEnvironment(environments, name)));
  } catch (error) {
    return problemOf(error, "choose one with --env (APPVARS_ENV)");
  }
}

/** Whether a process is writing the file, or has died while doing so. */
async function checkLock(path: string): Promise<Finding> {
  try {
    const { state, text } = (await findLock(await realpath(path)))?.holder ?? {};
    if (state === "dead")
      return warning(`${text} died while writing ${path}`, "nothing: the next writer removes its lock");
    const removal = command`if it has ended, run: rm -r ${path}.lock`;
    if (state)
      return warning(`${text} is writing the file`, state === "elsewhere" ? removal : "wait until it has ended");
  } catch (error) {
    if (error instanceof InvalidDataError)
      return problem(error.code, `${path} ${error.message}`, "check it, and move it away");
  }
  return ok("no process is writing the file");
}
