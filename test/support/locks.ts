import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { createToken } from "../../src/kit/process/process-token.js";
import { temporaryFolder } from "./temporary-folder.js";

/** A path for a file to lock, and that of its lock. */
export async function lockable() {
  const path = join(await temporaryFolder(), "vars.json");
  return { path, lockPath: `${path}.lock` };
}

/** A file with a lock, by default one without a token. */
export async function locked(token?: string) {
  const { path, lockPath } = await lockable();
  await writeFile(path, "");
  await plant(lockPath, token);
  return { path, lockPath };
}

export async function plant(lockPath: string, token: string | undefined): Promise<void> {
  await mkdir(lockPath);
  if (token !== undefined) await writeFile(join(lockPath, token), "");
}

export function exists(path: string): Promise<boolean> {
  return stat(path).then(Boolean, () => false);
}

/** A token as that process would make it. @param number differs between the locks of one process */
export async function tokenOf(pid: number, number = 0): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, "latin1");
  const startedAt = text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
  const [, place] = createToken().split("-");
  return [`${number}`.padStart(16, "0"), place, pid, startedAt, hostname()].join("-");
}
