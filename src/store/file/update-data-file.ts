import { realpath } from "node:fs/promises";
import { Low } from "lowdb";
import { ChangedError, type ReplaceFile, withFileLock } from "../../kit/files/file-lock.js";
import { readRegularFile } from "../../kit/files/open-file.js";
import { toInvalidData } from "../../kit/files/system-errors.js";
import { type Data, NO_DATA } from "../data.js";
import { applyChange } from "../edits/apply-change.js";
import { type Author, NOBODY } from "../history.js";
import { parseData } from "../schema/parse-data.js";
import type { ChangeData } from "../store.js";
import { dataPieces, MAX_DATA_SIZE, readDataFile } from "./data-file.js";
import { historyPathOf, recordWrite } from "./file-history.js";
import type { FileSealing } from "./file-sealing.js";
import { stateOf } from "./history-lines.js";

interface UpdateOptions {
  author?: Author | undefined;
  /** Unix time in milliseconds. */
  clock?: () => number;
  /** Cancels it, until the file is changed. */
  signal?: AbortSignal;
  /** A new one for each update. Without it, a sealed file is refused. */
  sealing?: FileSealing | undefined;
}

/**
 * Reads the data file, applies `change`, records it in the history and replaces the file, all under
 * its lock: no other writer's change is lost, and this one is on disk when this resolves. If
 * another program changes the file meanwhile, `change` is called again with the new data. A link
 * stays a link. When `change` returns its argument, nothing is written, unless the sealing is due.
 *
 * @returns the data as it was written, and the fingerprint of the file if that has changed
 * @throws NotDurableError when the change was made but may not be on disk; otherwise the file is
 *   unchanged:
 *   InvalidDataError when it can't be read, locked or written, or when its history can't be written; errors of
 *   `applyChange`; the signal's reason
 */
export async function updateDataFile(
  path: string,
  change: ChangeData,
  { author = NOBODY, clock = Date.now, signal, sealing }: UpdateOptions = {},
): Promise<{ data: Data; written?: string }> {
  try {
    const file = await realpath(path).catch((error: unknown) => {
      throw toInvalidData(error, "can't be read");
    });
    const update = async (replace: ReplaceFile) => {
      let data = NO_DATA;
      let before = "";
      let written = "";
      const parse = (bytes: Buffer) => {
        before = stateOf(bytes);
        return parseData(bytes, sealing?.open);
      };
      const write = async (next: Data) => {
        const bytes = Buffer.concat([...dataPieces(sealing?.seal(next) ?? next)]);
        const states = [before, stateOf(bytes)] as const;
        let mark = async () => {};
        const record = async () => {
          mark = await recordWrite(file, { data, next, states, author, clock, sealing });
          // The clock of a file system may not tell two changes apart.
          const now = await readRegularFile(file, MAX_DATA_SIZE).catch(() => undefined);
          if (!now || stateOf(now.bytes) !== before) throw new ChangedError();
        };
        written = await replace([bytes], record);
        await mark().catch(() => {});
      };
      const db = new Low({ read: () => readDataFile(file, { parse }), write }, data);
      await db.read();
      data = db.data;
      const next = await applyChange(data, change);
      if (next === data && !sealing?.isDue) return { data };
      db.data = next;
      await db.write();
      return { data: db.data, written };
    };
    return await withFileLock(file, update, {
      signal,
      also: [historyPathOf(file)],
      keepsReaders: true,
    });
  } catch (error) {
    throw error instanceof Error && "syscall" in error
      ? toInvalidData(error, "can't be written")
      : error;
  }
}
