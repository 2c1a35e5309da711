import { Readable, Writable } from "node:stream";
import type { Io } from "../../src/cli/output/context.js";
import type { Output } from "../../src/cli/output/output.js";
import { main } from "../../src/cli/start.js";
import { readStream } from "../../src/kit/process/this-process.js";

export interface CliOptions {
  env?: Record<string, string>;
  stdin?: string | Buffer;
  /** Whether stdout and stderr are a terminal with 256 colors. */
  terminal?: boolean;
  /** The current folder; by default one without settings in it or above it. */
  cwd?: string;
  /** The user's folder for configuration; by default one that does not exist. */
  config?: string;
  /** The user's folder for caches; by default one that does not exist. */
  cache?: string;
  /** By default that of this process. On Windows there are no user ids. */
  platform?: NodeJS.Platform;
  /** Id of the user; by default that of this process. */
  user?: number;
  groups?: number[];
  clock?: () => number;
  ticks?: () => number;
  untilStopped?: Io["untilStopped"];
  /** Called with each chunk written to stdout. */
  onStdout?: (text: string) => void;
  /** The same for stderr. */
  onStderr?: (text: string) => void;
}

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** A user that owns no file of the tests, if root runs them. Everyone trusts files of root. */
export const NOT_ROOT: CliOptions = process.getuid?.() === 0 ? { user: 1000, groups: [1000] } : {};

/**
 * Runs one command line in this process, with the entry point that users get and an empty
 * environment.
 */
export function runCli(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return runWith((io) => main(argv, io), options);
}

/** Runs a function with its own `Io`, and returns its exit code and output. */
export async function runWith<T>(
  run: (io: Io) => Promise<T>,
  options: CliOptions = {},
): Promise<{ code: T; stdout: string; stderr: string }> {
  const {
    terminal = false,
    onStdout,
    onStderr,
    config = "/dev/null/config",
    cache = "/dev/null/cache",
  } = options;
  const { platform = process.platform } = options;
  const stdout = capture(terminal, onStdout);
  const stderr = capture(terminal, onStderr);
  const stdin = Readable.from([options.stdin ?? ""]);
  const io: Io = {
    surroundings: {
      env: options.env ?? {},
      cwd: () => options.cwd ?? "/nowhere",
      folders: { config, cache },
      platform,
      user: platform === "win32" ? undefined : (options.user ?? process.getuid?.()),
      groups: options.groups ?? process.getgroups?.() ?? [],
      clock: options.clock ?? Date.now,
      ticks: options.ticks ?? (() => performance.now()),
      readStdin: (maxBytes) => readStream(stdin, maxBytes),
    },
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    untilStopped: options.untilStopped ?? (() => Promise.resolve()),
    exitSoon: () => {},
  };
  const code = await run(io);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function capture(
  isTTY: boolean,
  onText: (text: string) => void = () => {},
): { stream: Output; text: () => string } {
  let text = "";
  const stream: Output = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      text += chunk;
      onText(chunk);
      done();
    },
  });
  if (isTTY) Object.assign(stream, { isTTY, getColorDepth: () => 8 });
  return { stream, text: () => text };
}
