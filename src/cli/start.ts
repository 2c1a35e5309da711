import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { processIo } from "./process-io.js";
import { quickComplete } from "./quick-complete.js";
import { quickGet } from "./quick-get.js";

/**
 * Runs the command line of this process and resolves to its exit code. Bundled into one file by the build, since
 * each file costs a one-shot command about a millisecond; what it loads beyond that is as it is in the sources.
 *
 * @param enableCompileCache Node's own, where it has one: keeps compiled code in a folder
 */
export async function start(argv: readonly string[], enableCompileCache?: (folder: string) => void): Promise<number> {
  const io = processIo();
  const completed = await quickComplete(argv, io);
  if (completed !== undefined) {
    killIfStuck();
    return completed;
  }
  const code = await quickGet(argv, io);
  if (code !== undefined) return code;
  if (enableCompileCache) enableCompileCache(compiledFolder(io.folders.cache));
  const { main } = await import("./main.js");
  return main(argv, io);
}

/** In a folder of the user's alone: by default it would be where others may have put code of theirs before. */
function compiledFolder(cache: string): string {
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
  } catch {
    // Then Node can't keep anything there, which is no harm.
  }
  return join(cache, "compiled");
}

/**
 * Looking up a host can't be called off, and Node waits for it even in `process.exit`: with a name server out of reach
 * a Tab would hang for many seconds. Unless that is so, the process is gone before this happens.
 */
function killIfStuck(): void {
  setTimeout(() => process.kill(process.pid, "SIGKILL"), 50).unref();
}
