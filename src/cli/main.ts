import type { Io } from "./io.js";
import { buildProgram } from "./program.js";
import { reportError } from "./report-error.js";

/** Runs one command line and resolves to its exit code. Never rejects. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    const { program, context } = await buildProgram(argv, io);
    await program.parseAsync(argv, { from: "user" });
    return context.exitCode;
  } catch (error) {
    return reportError(error, argv, io);
  }
}
