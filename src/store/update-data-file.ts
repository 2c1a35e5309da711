import { realpath } from "node:fs/promises";
import { Low } from "lowdb";
import { InvalidDataError } from "../domain/errors.js";
import { type HeldLock, withFileLock } from "../files/file-lock.js";
import { toInvalidData } from "../files/system-errors.js";
import { fingerprint } from "../files/watch-file.js";
import { type Data, NO_DATA, withLastIds } from "./data.js";
import { dataFileAdapter } from "./data-file.js";
import { checkData } from "./parse-data.js";

/**
 * Reads the data file, applies `change` and replaces the file, all under its lock: no other writer's change is lost, and
 * this one is on disk when this resolves. A link stays a link. When `change` returns its argument, nothing is written.
 *
 * @param signal cancels it, until the file is changed
 * @returns the data as it was written
 * @throws NotDurableError when the change was made but may not be on disk; otherwise the file is unchanged:
 *   InvalidDataError when it can't be read, locked or written, or the new data breaks a rule; errors of `change`; the
 *   signal's reason
 */
export async function updateDataFile(path: string, change: (data: Data) => Data, signal?: AbortSignal): Promise<Data> {
  try {
    const file = await realpath(path).catch((error: unknown) => {
      throw toInvalidData(error, "can't be read");
    });
    return await withFileLock(file, (lock) => updateLocked(path, file, change, lock), signal);
  } catch (error) {
    throw error instanceof Error && "syscall" in error ? toInvalidData(error, "can't be written") : error;
  }
}

async function updateLocked(path: string, file: string, change: (data: Data) => Data, lock: HeldLock): Promise<Data> {
  const revision = await fingerprint(file);
  const refuseOtherChange = async () => {
    // A lock keeps out neither editors nor a link that is changed.
    if ((await fingerprint(file)) === revision && (await realpath(path)) === file) return;
    throw new InvalidDataError("was not written: another program has changed it in the meantime; try again");
  };
  const db = new Low(
    dataFileAdapter(file, {}, (text) => lock.replace(text, refuseOtherChange)),
    NO_DATA,
  );
  await db.read();
  await lock.check();
  const changed = change(db.data);
  if (changed === db.data) return db.data;
  db.data = checkData(withLastIds(db.data, changed));
  await lock.check();
  await db.write();
  return db.data;
}
