import { reportError } from "./output/errors.js";
import type { Io } from "./output/io.js";
import { wasTerminated } from "./processes/signals.js";
import { buildProgram } from "./program.js";

/** Runs one command line and resolves to its exit code. Never rejects. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let words = argv;
  try {
    const { program, context, ...built } = await buildProgram(argv, io);
    words = built.words;
    await program.parseAsync(words, { from: "user" }).catch(async (error: unknown) => {
      const { withHint } = await import("./usage-hints.js");
      throw withHint(error, program, words);
    });
    return context.exitCode;
  } catch (error) {
    return await reportError(error, words, io);
  } finally {
    if (wasTerminated()) io.leaveUnread();
  }
}
