import type { Io } from "./output/io.js";
import { processIo } from "./process-io.js";
import { endIfObstructed } from "./processes/end-process.js";
import { endWithParent, isStartedByNpm } from "./processes/npx.js";
import { quickCall } from "./quick-calls.js";

/** Runs the command line of this process and resolves to its exit code. */
export async function start(argv: readonly string[]): Promise<number> {
  const io = processIo();
  if (isStartedByNpm(io.env, argv)) endWithParent();
  const code = (await quickCall(argv, io)) ?? (await call(argv, io));
  await endIfObstructed(code, io);
  return code;
}

async function call(argv: readonly string[], io: Io): Promise<number> {
  if (argv[0] === "__complete") return (await import("./completion/quick-complete.js")).quickComplete(argv, io);
  return (await import("./program.js")).main(argv, io);
}
