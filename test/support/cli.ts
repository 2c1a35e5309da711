import { Readable, Writable } from "node:stream";
import type { Io, Output } from "../../src/cli/io.js";
import { main } from "../../src/cli/main.js";

export interface CliOptions {
  env?: Record<string, string>;
  stdin?: string;
  /** Whether stdout and stderr are a terminal with 256 colours. */
  terminal?: boolean;
  /** The folder that it runs in; by default one with no settings in it or above. */
  cwd?: string;
  /** The user's folder for configuration; by default one that is not there. */
  config?: string;
  /** The user's folder for caches; by default one that is not there. */
  cache?: string;
  clock?: () => number;
  untilStopped?: () => Promise<void>;
  /** Told of everything written to stdout, as it comes. */
  onStdout?: (text: string) => void;
}

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs one command line in this process, with nothing of this process's environment. */
export function runCli(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return runWith((io) => main(argv, io), options);
}

/** Gives `run` a world of its own, and returns what it made of it. */
export async function runWith<T>(
  run: (io: Io) => Promise<T>,
  options: CliOptions = {},
): Promise<{ code: T; stdout: string; stderr: string }> {
  const { terminal = false, onStdout = () => {}, config = "/dev/null/config", cache = "/dev/null/cache" } = options;
  const stdout = capture(terminal, onStdout);
  const stderr = capture(terminal);
  const io: Io = {
    stdin: Readable.from([options.stdin ?? ""]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: options.env ?? {},
    cwd: options.cwd ?? "/nowhere",
    folders: { config, cache },
    user: process.getuid?.(),
    clock: options.clock ?? Date.now,
    untilStopped: options.untilStopped ?? (() => Promise.resolve()),
  };
  const code = await run(io);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function capture(isTTY: boolean, onText: (text: string) => void = () => {}): { stream: Output; text: () => string } {
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
