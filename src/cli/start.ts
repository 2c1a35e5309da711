import { processIo } from "./process-io.js";
import { quickGet } from "./quick-get.js";

/**
 * Runs the command line of this process and resolves to its exit code. Bundled into one file by the build, since
 * each file costs a one-shot command about a millisecond; what it loads beyond that is as it is in the sources.
 */
export async function start(argv: readonly string[]): Promise<number> {
  const io = processIo();
  const code = await quickGet(argv, io);
  if (code !== undefined) return code;
  const { main } = await import("./main.js");
  return main(argv, io);
}
