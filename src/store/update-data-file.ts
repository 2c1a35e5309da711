import { realpath } from "node:fs/promises";
import { Low } from "lowdb";
import { InvalidDataError } from "../domain/errors.js";
import { type Data, NO_DATA } from "./data.js";
import { DataFileAdapter } from "./data-file-adapter.js";
import { keepOwner, removeTemporaries, replaceFile } from "./durable-file.js";
import { withFileLock } from "./file-lock.js";
import { fingerprint } from "./fingerprint.js";
import { withLastIds } from "./ids.js";
import { checkData } from "./parse-data.js";
import { toInvalidData } from "./system-errors.js";

/**
 * Reads the data file, lets `change` make new data of it and puts that in its place, all under the file's
 * lock: no other writer's change is lost, and when it resolves this one is on the disk. A link to the file
 * stays a link. When `change` returns what it was given, nothing is written.
 *
 * @returns the data as it was written
 * @throws InvalidDataError when the file can't be read, locked or written, or the new data breaks a rule; what
 *   `change` throws. The file is then as it was.
 */
export async function updateDataFile(path: string, change: (data: Data) => Data): Promise<Data> {
  try {
    const file = await realpath(path);
    return await withFileLock(file, async (lock) => {
      const revision = await fingerprint(file);
      const beforeRename = async (temporary: string) => {
        await keepOwner(file, temporary);
        await lock.check();
        // A lock does not keep out an editor, a link that is turned elsewhere, or a writer that was stopped while
        // it held the lock.
        if ((await fingerprint(file)) === revision && (await realpath(path)) === file) return;
        throw new InvalidDataError("was not written: another program has changed it meanwhile; try again");
      };
      await removeTemporaries(file);
      const db = new Low(new DataFileAdapter(file, (to, text) => replaceFile(to, text, beforeRename)), NO_DATA);
      await db.read();
      const changed = change(db.data);
      if (changed === db.data) return db.data;
      db.data = checkData(withLastIds(db.data, changed));
      await db.write();
      return db.data;
    });
  } catch (error) {
    throw isSystemError(error) ? toInvalidData(error, "can't be written") : error;
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
