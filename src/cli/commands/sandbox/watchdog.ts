import { spawn } from "node:child_process";
import { once } from "node:events";
import type { ChildEnvironment } from "../../processes/child.js";

/**
 * Reads a process id from stdin. At the end of stdin, which comes when the process at the other end is gone, it ends
 * that process and its descendants: SIGTERM, and after ten seconds SIGKILL. We may be killed between the start of the
 * program and the moment its id is written: then the variable in $1 says which processes are meant. Then
 * it removes the file in $2.
 */
const SCRIPT = `
  family() {
    echo "$1"
    for child in $(cat /proc/"$1"/task/*/children || pgrep -P "$1"); do family "$child"; done
  }
  with_variable() {
    for file in $(grep -lsxzF "$1" /proc/[0-9]*/environ); do file=\${file#/proc/}; echo "\${file%/environ}"; done
  }
  is_there() { for pid; do kill -0 "$pid" && return; done; return 1; }
  end() {
    kill -TERM "$@"
    tenths=0
    while is_there "$@" && [ $((tenths += 1)) -le 100 ]; do sleep 0.1; done
    is_there "$@" && kill -KILL "$@"
  }
  if read -r pid; then read -r _ || end $(family "$pid"); else end $(with_variable "$1"); fi
  if [ -n "$2" ]; then rm -f "$2"; fi`;

export interface Watchdog {
  /** Sets the process to watch; undefined for none. */
  watch(pid: number | undefined): void;
  /** Stops the watchdog, and resolves once it is gone. */
  end(): Promise<void>;
}

/**
 * Starts a process that ends a program and its descendants if this process dies before {@link Watchdog.end}: after a
 * SIGKILL it can't do so itself. Start it before the program. Does nothing on Windows.
 *
 * @param env of the program; its APPVARS_URL must not be in the environment of any other program
 * @param file a file to remove then
 */
export function startWatchdog({ PATH, APPVARS_URL }: ChildEnvironment, platform: NodeJS.Platform, file = ""): Watchdog {
  if (platform === "win32") return { watch: () => {}, end: async () => {} };
  const shell = spawn("/bin/sh", ["-c", SCRIPT, "sh", `APPVARS_URL=${APPVARS_URL}`, file], {
    cwd: "/",
    // In its own session, the terminal's signals to our process group do not reach it.
    detached: true,
    env: PATH === undefined ? {} : { PATH },
    stdio: ["pipe", "ignore", "ignore"],
  });
  // The program runs without a watchdog too.
  shell.on("error", () => {});
  shell.stdin.on("error", () => {});
  return {
    watch(pid) {
      if (pid !== undefined) shell.stdin.write(`${pid}\n`);
    },
    async end() {
      if (shell.pid === undefined || shell.exitCode !== null || shell.signalCode !== null) return;
      const ended = once(shell, "exit");
      shell.kill("SIGKILL");
      await ended;
    },
  };
}
