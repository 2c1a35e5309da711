import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { SERVER_CORE } from "./cores.mjs";

const SCRIPT = fileURLToPath(new URL("parse-file.mjs", import.meta.url));

/**
 * The least cost of reading and parsing this file, in a process of its own on the servers' core.
 *
 * @returns {{ ms: number, peakMegabytes: number }}
 */
export function parseLimit(path) {
  const command = ["--cpu-list", String(SERVER_CORE), process.execPath, SCRIPT, path];
  return JSON.parse(execFileSync("taskset", command, { encoding: "utf8" }));
}
