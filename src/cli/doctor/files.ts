import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { command } from "../../domain/shell.js";
import { looseMode } from "../../files/owners.js";
import { type FileUser, fileRisk } from "../editing/safe-files.js";
import type { Io } from "../output/io.js";
import { type Finding, ok, problem, skipped, warning } from "./finding.js";

/**
 * Whether others can read or change files with secrets. Those that do not exist are omitted.
 *
 * @param data path of the data file: `serve` and the commands that change it refuse a file that others can change
 * @param profiles path of the file of profiles, whose folder is checked too
 */
export function checkFiles(
  secrets: readonly string[],
  data: string | undefined,
  profiles: string,
  io: FileUser & Pick<Io, "platform">,
): Finding[] {
  const files = [...new Set([data ?? [], ...secrets, profiles].flat())].filter(existsSync);
  const found = [
    ...files.flatMap((path) => checkMode(path, "600")),
    ...(files.includes(profiles) ? checkMode(dirname(profiles), "700") : []),
    ...files.flatMap((path) => checkOwners(path, path === data, io)),
  ];
  if (found.length > 0) return found;
  if (files.length === 0) return [skipped("no file with a secret is in use")];
  if (io.platform === "win32")
    return [skipped("modes say nothing on Windows: icacls FILE shows who has access to a file")];
  return [ok(`only you can read and write ${files.join(", ")}`)];
}

function checkMode(path: string, right: string): Finding[] {
  const mode = looseMode(path);
  if (mode === undefined) return [];
  return [warning(`other users have access to ${path} (mode ${mode})`, command`chmod ${right} ${path}`)];
}

function checkOwners(path: string, isData: boolean, io: FileUser): Finding[] {
  const risk = fileRisk(path, io);
  if (!risk) return [];
  const message = `${path} ${risk.problem}`;
  return [isData && risk.isRefused ? problem("invalid_data", message, risk.fix) : warning(message, risk.fix)];
}
