import { realpath } from "node:fs/promises";
import { findWeakSecrets, qualifiedName } from "../../domain/environment.js";
import { type AppvarsError, type ErrorCode, InvalidDataError } from "../../domain/errors.js";
import { command } from "../../domain/shell.js";
import { findLock } from "../../files/file-lock.js";
import type { Data } from "../../store/data.js";
import { chooseEnvironment, localData } from "../editing/open-data.js";
import { openTrafficWarning } from "../editing/store-data.js";
import { withNotice } from "../output/context.js";
import type { Io } from "../output/io.js";
import { rotateCommand } from "../output/shell-lines.js";
import { type DataPlace, dataPlaceName, type LocalSettings, placeFlags } from "../settings/connection.js";
import { type Finding, ok, problem, problemOf, skipped, warning } from "./finding.js";

/** Whether a data file or a store can be read and is valid, its secrets protect it, and has the environment. */
export async function checkLocal({ place, env }: LocalSettings, io: Io): Promise<Record<string, Finding | Finding[]>> {
  const check = place.kind === "file" ? "data_file" : "store";
  const { data, findings } = await checkLocalData(place, io);
  const unread = skipped(`the ${place.kind === "file" ? "data file" : "store"} can't be read: see ${check}`);
  return {
    [check]: findings,
    secrets: data ? checkSecrets(data, place, io.clock()) : unread,
    ...(place.kind === "file" && { lock: await checkLock(place.path) }),
    environment: data ? checkEnvironment(data, env) : unread,
  };
}

/** By the kind of failure. */
const FIXES: Partial<Record<ErrorCode, string>> = {
  usage: "correct this setting",
  unauthorized: "correct APPVARS_STORE_USER or its password, or let etcd's administrator grant the role",
  unreachable: "check that etcd runs at these addresses, and that --store names them",
};

/** Exported for tests.*/
export async function checkLocalData(
  place: DataPlace,
  surroundings: Io,
  read: (io: Io) => Promise<Data> = async (io) => (await localData(place, io)).read(),
): Promise<{ data?: Data; findings: Finding[] }> {
  const findings: Finding[] = [];
  const warn = (text: string) => void findings.push(warning(text, "correct this, unless you expect it"));
  const traffic = place.kind === "store" ? openTrafficWarning(place) : [];
  findings.push(...traffic.map((text) => warning(text, "set up TLS in etcd, and use etcds://")));
  try {
    const data = await read(withNotice(surroundings, warn));
    const { environments, variables } = data;
    const size = `${environments.length} environments, ${variables.length} variables`;
    return { data, findings: [...findings, ok(`${dataPlaceName(place)} is valid: ${size}`)] };
  } catch (error) {
    const fix = FIXES[(error as AppvarsError).code] ?? "correct the data, or use another file or store";
    return { findings: [...findings, problemOf(error, fix)] };
  }
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
  const free = ok("no process is writing the file");
  try {
    const holder = (await findLock(await realpath(path)))?.holder;
    if (!holder) return free;
    if (holder.state === "dead")
      return warning(`${holder.text} died while writing ${path}`, "nothing: the next writer removes its lock");
    const removal = command`if it has ended, run: rm -r ${path}.lock`;
    return warning(
      `${holder.text} is writing the file`,
      holder.state === "elsewhere" ? removal : "wait until it has ended",
    );
  } catch (error) {
    if (!(error instanceof InvalidDataError)) return free;
    return problem(error.code, `${path} ${error.message}`, "check it, and move it away");
  }
}
