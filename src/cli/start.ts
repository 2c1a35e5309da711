import { constants, fstatSync, openSync } from "node:fs";
import { Socket } from "node:net";
import {
  endBySignals,
  endProcess,
  exitSoon,
  gotSigterm,
  hangUpIfTerminalClosed,
  untilStopped,
} from "../kit/process/signals.js";
import { thisProcess } from "../kit/process/this-process.js";
import { parseLine, splitWords } from "./arguments/parse-line.js";
import { findCommand, loadAll } from "./command-registry.js";
import { createContext, type Io } from "./output/context.js";
import { writeLines } from "./output/output.js";
import { reportError } from "./output/report-error.js";

/**
 * Runs the command line of this process and resolves to its exit code.
 *
 * @param keepCompiled not called for `get`, which loads so little that it would
 *   save no time
 */
export async function start(argv: readonly string[], keepCompiled?: () => void): Promise<number> {
  const io = processIo();
  const isCompletion = argv[0] === "__complete";
  if (argv[0] !== "get" && !isCompletion) keepCompiled?.();
  const code = isCompletion
    ? await (await import("./completion/quick-complete.js")).quickComplete(argv, io)
    : await main(argv, io);
  if (gotSigterm) io.exitSoon();
  hangUpIfTerminalClosed(code);
  return code;
}

/** Runs one command line and resolves to its exit code. Never rejects. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let words = argv;
  try {
    const call = await findCommand(argv);
    const { path, command } = call;
    const line = splitWords(call.words, command);
    words = line.words;
    const { args, flags, output } =
      (command.run && parseLine(line, command, io.surroundings.clock)) ??
      (await (
        await import("./parse-with-commander.js")
      ).parseWithCommander({ ...call, words }, io));
    const preview = { dryRun: flags["dryRun"] === true, showValues: flags["values"] === true };
    const context = createContext(io, output, path.join(" "), preview);
    await command.run?.(args, flags, context, loadAll);
    return context.exitCode;
  } catch (error) {
    return await reportError(error, words, io);
  }
}

/** Describes this process. Creates its streams at their first use. */
export function processIo(): Io {
  let stdout: Io["stdout"] | undefined;
  let stderr: Io["stderr"] | undefined;
  // Node would open its debugger, on a port that every user of the machine can
  // reach, in a process that has secrets.
  process.on("SIGUSR1", () => {});
  if (process.pid === 1) endBySignals();
  return {
    surroundings: thisProcess(),
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      stdout ??= process.stdout.on("error", endOnFailure);
      return stdout;
    },
    get stderr() {
      stderr ??= openStderr();
      return stderr;
    },
    untilStopped,
    exitSoon,
  };
}

/** The number of the signal, which Windows does not have. */
const SIGPIPE = 13;

/**
 * Ends this process when stdout fails. A reader that has read enough, such as
 * `head`, closes the pipe: the command then ends as SIGPIPE would end it,
 * without a message, but not with 0, since it may not have finished its work.
 * Any other failure is reported.
 */
function endOnFailure({ code }: NodeJS.ErrnoException): never {
  // Windows reports EOF.
  if (code === "EPIPE" || code === "EOF") endProcess(128 + SIGPIPE);
  writeLines(process.stderr, [`appvars: can't write to stdout (${code})`]);
  endProcess(1);
}

/**
 * Opens stderr. If it is a pipe and the system has Linux's /proc, it gets a
 * file description of its own: whether writes block is a property of the
 * description, and Node makes writes block each time it starts a child. A
 * reader that does not read would then stop a server. If nobody can read
 * stderr, the command continues.
 */
function openStderr(): Io["stderr"] {
  const { O_WRONLY, O_NONBLOCK } = constants;
  let reopened: Socket | undefined;
  try {
    // A regular file would be written from its start, and a socket can't be
    // opened again.
    if (fstatSync(2).isFIFO())
      reopened = new Socket({
        fd: openSync("/proc/self/fd/2", O_WRONLY | O_NONBLOCK),
        readable: false,
        writable: true,
      });
  } catch {}
  return (reopened ?? process.stderr).on("error", () => {});
}
