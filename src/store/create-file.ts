import { randomBytes } from "node:crypto";
import { link, open, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Creates `path` with this text, mode 0600, complete or not at all, and on the disk when it resolves.
 *
 * @throws the file system's error; its code is `EEXIST` when there is such a file already
 */
export async function createFile(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  await writeNewFile(temporary, text);
  try {
    // A rename would replace what is there; a link is refused.
    await link(temporary, path);
  } finally {
    await unlink(temporary);
  }
  await syncFolder(folder);
}

async function writeNewFile(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    await unlink(path);
    throw error;
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
