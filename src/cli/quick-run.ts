import { createContext } from "./output/context.js";
import { reportError } from "./output/errors.js";
import type { Io } from "./output/io.js";
import { wasTerminated } from "./processes/signals.js";
import { callRun } from "./run/call-run.js";
import { parseQuickWords } from "./settings/parse-words.js";

/**
 * `appvars run [FLAGS] -- COMMAND` without loading commander. Resolves to the exit code, or to undefined for a command
 * line that it leaves to `main`: one with flags of `run` itself.
 */
export async function quickRun(argv: readonly string[], io: Io): Promise<number | undefined> {
  const end = argv.indexOf("--");
  const [program, ...args] = argv.slice(end + 1);
  const parsed = end > 0 && program !== undefined ? parseQuickWords("run", argv.slice(0, end)) : undefined;
  if (program === undefined || !parsed || parsed.positionals.length > 0) return undefined;
  try {
    return await callRun(
      [program, ...args],
      parsed.flags,
      createContext(io, () => parsed.output),
    );
  } catch (error) {
    return await reportError(error, argv, io);
  } finally {
    if (wasTerminated()) io.leaveUnread();
  }
}
