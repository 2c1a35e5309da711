import { realpath } from "node:fs/promises";
import { lockHolder } from "../../kit/files/file-lock.js";
import { toInvalidData } from "../../kit/files/system-errors.js";
import type { AppvarsError } from "../../kit/text/errors.js";
import { command } from "../../kit/text/shell.js";
import { qualifiedName } from "../../model/environment.js";
import type { Data } from "../../store/data.js";
import { chooseEnvironment } from "../data/choose-environments.js";
import { plainTrafficWarnings } from "../data/etcd-data.js";
import { keyWarnings } from "../data/key-advice.js";
import { openDataAccess } from "../data/open-data.js";
import { type DataSettings, locationFlags, locationName } from "../settings/connection.js";
import type { Caller } from "../surroundings.js";
import { type Finding, type Findings, notChecked, ok, problemOf, warning } from "./finding.js";

export async function diagnoseData(
  { location, env }: DataSettings,
  caller: Caller,
  read = async (): Promise<Data> => (await openDataAccess(location, caller)).read(),
): Promise<Findings> {
  const isFile = location.kind === "file";
  const [check, traffic] = isFile ? ["data_file", []] : ["store", plainTrafficWarnings(location)];
  const findings = traffic.map((text) => warning(text, "set up TLS in etcd, and use etcds://"));
  const data = await read().catch((error: AppvarsError) => {
    const fix =
      "correct APPVARS_STORE_USER or its password, or let etcd's administrator grant the role";
    findings.push(problemOf(error, error.code === "unauthorized" ? fix : undefined));
  });
  const { environments = [], variables = [] } = data ?? {};
  const size = `${environments.length} environments, ${variables.length} variables`;
  if (data) findings.push(ok(`${locationName(location)} is valid: ${size}`));
  const unread = notChecked(check);
  const judge = (verdict: () => Finding | Finding[], fix: string) => {
    try {
      return data ? verdict() : unread;
    } catch (error) {
      return problemOf(error, fix);
    }
  };
  return {
    [check]: findings,
    secrets: judge(() => {
      const weak = keyWarnings(environments, caller.surroundings.clock(), locationFlags(location));
      if (weak.length > 0) return weak.map(({ message, fix }) => warning(message, fix));
      return ok("each environment has its own secret, and all are long enough");
    }, "run doctor where the key is"),
    ...(isFile && { lock: data ? await checkLock(location.path) : unread }),
    environment: judge(
      () => ok(qualifiedName(chooseEnvironment(environments, env))),
      "choose one with --env (APPVARS_ENV)",
    ),
  };
}

async function checkLock(path: string): Promise<Finding> {
  try {
    const target = await realpath(path);
    const { state = "dead", text } = (await lockHolder(target)) ?? {};
    // The next writer removes the lock of a process that has died.
    if (state === "dead") return ok("no process is writing the file");
    const removal = command`if it has ended, run: rm -r ${target}.lock`;
    const fix = state === "unknown" ? removal : "wait until it has ended";
    return warning(`${text} is writing the file`, fix);
  } catch (error) {
    return problemOf(toInvalidData(error, "can't be locked"), "check it, and move it elsewhere");
  }
}
