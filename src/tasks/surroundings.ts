import { isAbsolute, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";

/** An output stream; on a terminal it has `isTTY` and knows its colors. */
export interface Output extends Writable {
  isTTY?: boolean;
  /** Its file descriptor, if it is the process's own. */
  fd?: number;
  getColorDepth?: (env?: object) => number;
}

/** Everything outside the process that a command uses; tests pass their own. */
export interface Io {
  stdin: Readable & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  env: Record<string, string | undefined>;
  /** The current folder. Throws if it has been deleted; most commands do not read it. */
  cwd: string;
  /** The user's folders for this program; they may not exist. */
  folders: { config: string; cache: string };
  platform: NodeJS.Platform;
  /** Id of the user; undefined if the system has no such ids, which is Windows. */
  user: number | undefined;
  groups: readonly number[];
  /** Reports a settings file that is ignored. */
  notice?: (text: string) => void;
  /** Tells how far long work is. */
  progress?: (text: string) => void;
  /** The name of the command that runs: `env rotate`. */
  command?: string;
  /** Unix time in milliseconds. */
  clock: () => number;
  /** Milliseconds on a monotonic clock, for durations. */
  ticks: () => number;
  /**
   * Resolves when the process should stop: on SIGTERM, on Ctrl-C or Ctrl-Break, or on SIGHUP after
   * its terminal was closed.
   *
   * @param phase.isStarting while true, the process ends at once instead, with exit code 0
   * @param phase.reload called for any other SIGHUP
   */
  untilStopped: (phase: { isStarting: boolean; reload: () => void }) => Promise<void>;
  /**
   * Lets the process end without waiting for readers of its output. Called when all work is done.
   */
  leaveUnread: () => void;
}

/** Resolves a path in the current folder, which is not read for an absolute path. */
export function absolutePath(path: string, io: Pick<Io, "cwd">): string {
  return resolve(isAbsolute(path) ? path : io.cwd, path);
}

/** Whether an error is Node's for a current folder that has been deleted. */
export function isFolderGone(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).syscall === "uv_cwd";
}
