import type { Readable, Writable } from "node:stream";

/** An output stream; on a terminal it has `isTTY` and knows its colours. */
export interface Output extends Writable {
  isTTY?: boolean;
  getColorDepth?: (env?: object) => number;
}

/** Everything outside of the process that a command touches; tests pass their own. */
export interface Io {
  stdin: Readable & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  env: Record<string, string | undefined>;
  /** The folder that the command runs in. */
  cwd: string;
  /** The user's own folders for this program, whether they are there or not. */
  folders: { config: string; cache: string };
  /** Id of the user who runs this; undefined where the system has no such ids. */
  user: number | undefined;
  /** Unix time in milliseconds. */
  clock: () => number;
  /** Resolves when the process is asked to stop: SIGTERM, Ctrl-C. */
  untilStopped: () => Promise<void>;
}
