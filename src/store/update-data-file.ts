import { realpath } from "node:fs/promises";
import { Low } from "lowdb";
import type { NewContent } from "../files/durable-file.js";
import { withFileLock } from "../files/file-lock.js";
import { toInvalidData } from "../files/system-errors.js";
import { type Data, NO_DATA, withLastIds } from "./data.js";
import { dataPieces, readDataFile } from "./data-file.js";
import { checkData } from "./parse-data.js";

/**
 * Reads the data file, applies `change` and replaces the file, all under its lock: no other writer's change is lost, and
 * this one is on disk when this resolves. A link stays a link. When `change` returns its argument, nothing is written.
 *
 * @param signal cancels it, until the file is changed
 * @returns the data as it was written, and the fingerprint of the file if that has changed
 * @throws NotDurableError when the change was made but may not be on disk; otherwise the file is unchanged:
 *   InvalidDataError when it can't be read, locked or written, or the new data breaks a rule; errors of `change`; the
 *   signal's reason
 */
export async function updateDataFile(
  path: string,
  change: (data: Data) => Data,
  signal?: AbortSignal,
): Promise<{ data: Data; written?: string }> {
  try {
    const file = await realpath(path).catch((error: unknown) => {
      throw toInvalidData(error, "can't be read");
    });
    const update = async (replace: (content: NewContent) => Promise<string>) => {
      let written = "";
      const write = async (data: Data) => {
        written = await replace(dataPieces(data));
      };
      const db = new Low({ read: () => readDataFile(file), write }, NO_DATA);
      await db.read();
      const changed = change(db.data);
      if (changed === db.data) return { data: db.data };
      db.data = checkData(withLastIds(db.data, changed), db.data);
      await db.write();
      return { data: db.data, written };
    };
    return await withFileLock(file, update, signal);
  } catch (error) {
    throw error instanceof Error && "syscall" in error ? toInvalidData(error, "can't be written") : error;
  }
}
