import { spawn } from "node:child_process";
import { once } from "node:events";
import { platform } from "node:os";

/**
 * Reads the id of a process, and ends that and its descendants, which are all looked for before: SIGTERM, and after ten
 * seconds SIGKILL. The second `read` fails at the end of stdin, and that comes when the process at the other end is
 * gone, for whatever reason.
 */
const SCRIPT = `
  family() {
    echo "$1"
    for child in $(cat /proc/"$1"/task/*/children || pgrep -P "$1"); do family "$child"; done
  }
  is_there() { for pid; do kill -0 "$pid" && return; done; return 1; }
  end() {
    kill -TERM "$@"
    tenths=0
    while is_there "$@" && [ $((tenths += 1)) -le 100 ]; do sleep 0.1; done
    is_there "$@" && kill -KILL "$@"
  }
  read -r pid && { read -r _ || end $(family "$pid"); }`;

export interface Watchdog {
  /** Says whom to watch: the id of a program, undefined for none. */
  watch(pid: number | undefined): void;
  /** Resolves once it is gone; what it watched goes on. */
  end(): Promise<void>;
}

/**
 * Starts a process that sends SIGTERM to a program and all that it has started when this process ends before
 * {@link Watchdog.end}: killed by SIGKILL it can do nothing itself. To be started before the program, so that there is
 * no moment without it. Does nothing on Windows.
 *
 * @param path what PATH is for its shell
 */
export function startWatchdog(path: string | undefined): Watchdog {
  if (platform() === "win32") return { watch: () => {}, end: async () => {} };
  const shell = spawn("/bin/sh", ["-c", SCRIPT], {
    cwd: "/",
    // A session of its own: what a terminal sends to our group does not end it.
    detached: true,
    env: path === undefined ? {} : { PATH: path },
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without it all goes on as well.
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
