import { Readable, Writable } from "node:stream";
import type { Io, Output } from "../../src/cli/io.js";
import { main } from "../../src/cli/main.js";

export interface CliOptions {
  env?: Record<string, string>;
  stdin?: string;
  /** Whether stdout and stderr are a terminal with 256 colours. */
  terminal?: boolean;
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
export async function runCli(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const { terminal = false, onStdout = () => {} } = options;
  const stdout = capture(terminal, onStdout);
  const stderr = capture(terminal);
  const io: Io = {
    stdin: Readable.from([options.stdin ?? ""]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: options.env ?? {},
    clock: options.clock ?? Date.now,
    untilStopped: options.untilStopped ?? (() => Promise.resolve()),
  };
  const code = await main(argv, io);
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
