import { stat } from "node:fs/promises";
import { platform } from "node:os";

/** The mode of a file that others than its owner have rights to; undefined when all is well. */
export async function looseMode(path: string): Promise<string | undefined> {
  const { mode } = await stat(path);
  // Windows has no such bits and always reports them set.
  return platform() === "win32" || (mode & 0o077) === 0 ? undefined : `0${(mode & 0o777).toString(8)}`;
}

/** A warning when others than its owner may read or write the file; undefined when all is well. */
export async function looseModeWarning(path: string): Promise<string | undefined> {
  const mode = await looseMode(path);
  return mode && `${path} holds secrets and others may read it (mode ${mode}); run: chmod 600 ${path}`;
}
