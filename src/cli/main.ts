import { createContext, type OutputFlags } from "./context.js";
import type { Io } from "./io.js";
import { buildProgram } from "./program.js";
import { reportError } from "./report-error.js";

/** Runs one command line and resolves to its exit code. Never rejects. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    const program = await buildProgram(argv, (parsed) => createContext(io, () => parsed.opts<OutputFlags>()));
    await program.parseAsync(argv, { from: "user" });
    return 0;
  } catch (error) {
    return reportError(error, argv, io);
  }
}
