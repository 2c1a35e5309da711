import { execFileSync } from "node:child_process";

/** Servers run on one core, the measuring programs on another. */
export const SERVER_CORE = 0;
const CLIENT_CORE = 1;

/**
 * The call of a program that runs on the servers' core, for `spawn`.
 *
 * @returns {[string, string[]]}
 */
export function pinnedToServerCore(program, args) {
  return ["taskset", ["--cpu-list", String(SERVER_CORE), program, ...args]];
}

/** Moves this process, and with it its children, off the servers' core. */
export function leaveServerCore() {
  execFileSync(
    "taskset",
    ["--all-tasks", "--cpu-list", "--pid", String(CLIENT_CORE), String(process.pid)],
    {
      stdio: "ignore",
    },
  );
}
