import { quickComplete } from "./completion/quick-complete.js";
import type { Io } from "./output/io.js";
import { processIo } from "./process-io.js";
import { endIfObstructed } from "./processes/end-process.js";
import { endWithParent, isStartedByNpm } from "./processes/npx.js";
import { quickGet } from "./quick-get.js";

/** Runs the command line of this process and resolves to its exit code. */
export async function start(argv: readonly string[]): Promise<number> {
  const io = processIo();
  const code = (await quickComplete(argv, io)) ?? (await quickGet(argv, io)) ?? (await callMain(argv, io));
  await endIfObstructed(code, io);
  return code;
}

async function callMain(argv: readonly string[], io: Io): Promise<number> {
  if (isStartedByNpm(io.env, argv)) endWithParent();
  if (argv.includes("run")) {
    const { quickRun } = await import("./quick-run.js");
    const code = await quickRun(argv, io);
    if (code !== undefined) return code;
  }
  const { main } = await import("./main.js");
  return main(argv, io);
}
