import { endWithTerminal } from "../kit/process/end-process.js";
import { isTerminated } from "../kit/process/signals.js";
import { parseLine, readWords } from "./arguments/parse-line.js";
import { findCommand, loadAll } from "./known-commands.js";
import { createContext, type Io } from "./output/context.js";
import { reportError } from "./output/report-error.js";
import { processIo } from "./process-io.js";

/**
 * Runs the command line of this process and resolves to its exit code.
 *
 * @param keepCompiled called before much is loaded. `get` loads little: checking the folder of the
 *   cache would take longer than it saves
 */
export async function start(argv: readonly string[], keepCompiled?: () => void): Promise<number> {
  const io = processIo();
  const isCompletion = argv[0] === "__complete";
  if (argv[0] !== "get" && !isCompletion) keepCompiled?.();
  const code = isCompletion
    ? await (await import("./completion/quick-complete.js")).quickComplete(argv, io)
    : await main(argv, io);
  if (isTerminated) io.leaveUnread();
  endWithTerminal(code);
  return code;
}

/** Runs one command line and resolves to its exit code. Never rejects. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let words = argv;
  try {
    const found = await findCommand(argv);
    const read = readWords(found.words, found.command);
    words = found.words = read.map(({ text }) => text);
    const { args, flags, output } =
      (found.command.run && parseLine(read, found.command, io.surroundings.clock)) ??
      (await (await import("./program.js")).parseWithCommander(found, io));
    const context = createContext(io, output);
    context.command = found.path.join(" ");
    await found.command.run?.(args, flags, context, loadAll);
    return context.exitCode;
  } catch (error) {
    return await reportError(error, words, io);
  }
}
