import type { Io } from "./io.js";
import { buildProgram } from "./program.js";
import { reportError } from "./report-error.js";

/** Runs one command line and resolves to its exit code. Never rejects. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let words = argv;
  try {
    const { program, context, ...built } = await buildProgram(argv, io);
    words = built.words;
    await program.parseAsync(words, { from: "user" });
    return context.exitCode;
  } catch (error) {
    return reportError(error, words, io);
  }
}
