import { stat } from "node:fs/promises";
import { platform } from "node:os";

/** A warning when others than its owner may read or write the file; undefined when all is well. */
export async function looseModeWarning(path: string): Promise<string | undefined> {
  const { mode } = await stat(path);
  // Windows has no such bits and always reports them set.
  if (platform() === "win32" || (mode & 0o077) === 0) return undefined;
  return `${path} holds secrets and others may read it (mode 0${(mode & 0o777).toString(8)}); run: chmod 600 ${path}`;
}
