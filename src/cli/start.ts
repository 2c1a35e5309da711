import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathRisks } from "../files/path-risks.js";
import { quickComplete } from "./completion/quick-complete.js";
import type { Io } from "./output/io.js";
import { processIo } from "./process-io.js";
import { endIfObstructed } from "./processes/end-process.js";
import { endWithParent, isStartedByNpx } from "./processes/npx.js";
import { quickGet } from "./quick-get.js";

/**
 * Runs the command line of this process and resolves to its exit code.
 *
 * @param enableCompileCache Node's function to keep compiled code in a folder, if it has one
 */
export async function start(argv: readonly string[], enableCompileCache?: (folder: string) => void): Promise<number> {
  const io = processIo();
  const keepCompiled = () => {
    if (enableCompileCache && isOwnFolder(io)) enableCompileCache(join(io.folders.cache, "compiled"));
  };
  const quick = (await quickComplete(argv, io)) ?? (await quickGet(argv, io, keepCompiled));
  const code = quick ?? (await callMain(argv, io, keepCompiled));
  await endIfObstructed(code, io);
  return code;
}

async function callMain(argv: readonly string[], io: Io, keepCompiled: () => void): Promise<number> {
  keepCompiled();
  if (isStartedByNpx(io.env)) endWithParent();
  if (argv.includes("run")) {
    const { quickRun } = await import("./quick-run.js");
    const code = await quickRun(argv, io);
    if (code !== undefined) return code;
  }
  const { main } = await import("./main.js");
  return main(argv, io);
}

/**
 * Creates the cache folder if it is missing, and returns whether code may be kept in it. Node's default folder may
 * contain code of other users, and with `sudo -E` this folder may be another user's. Node would create it, but its
 * recursive mkdir never returns for HOME=/proc.
 */
function isOwnFolder(io: Io): boolean {
  const { folders } = io;
  for (const folder of [dirname(folders.cache), folders.cache]) {
    try {
      mkdirSync(folder, 0o700);
    } catch {
      // It usually exists.
    }
  }
  if (!existsSync(folders.cache)) return false;
  return pathRisks(join(folders.cache, "compiled"), io).length === 0;
}
