import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import { Low } from "lowdb";
import { FileChangedError } from "../../kit/files/durable-file.js";
import { type ReplaceFile, withFileLock } from "../../kit/files/file-lock.js";
import { readRegularFile } from "../../kit/files/read-file.js";
import { toInvalidData } from "../../kit/files/system-errors.js";
import { MAX_DATA_SIZE, serializeData } from "../bytes/data-text.js";
import type { FileSealing } from "../bytes/file-sealing.js";
import { type Data, NO_DATA } from "../data.js";
import { applyChange } from "../edits/apply-change.js";
import { type Author, UNKNOWN_AUTHOR } from "../history.js";
import { parseData } from "../schema/parse-data.js";
import type { ChangeData, UpdateOptions } from "../store.js";
import { readDataFile } from "./data-file.js";
import { historyPathOf, recordWrite } from "./file-history.js";
import { contentHash } from "./history-lines.js";

interface FileUpdateOptions extends Pick<UpdateOptions, "mayBreakSchemas"> {
  author?: Author | undefined;
  /** Unix time in milliseconds. */
  clock?: (() => number) | undefined;
  /** Cancels the update, until the file is changed. */
  signal?: AbortSignal;
  /** Needed for a sealed file. A new one for each update. */
  sealing?: FileSealing | undefined;
}

/**
 * Reads a data file, applies `change`, records it in the history and replaces
 * the file, all under its lock: no change of another writer is lost, and this
 * one is on disk when this resolves. If another program changes the file
 * meanwhile, `change` is called again. A link stays a link. If nothing changes,
 * writes only a due sealing.
 *
 * @returns the data as written, and the fingerprint of the file if it has
 *   changed
 * @throws NotDurableError when the change was made but may not be on disk.
 *   Otherwise the file is unchanged: InvalidDataError when it or its history
 *   can't be read, locked or written; errors of `applyChange`; the signal's
 *   reason
 */
export async function updateDataFile(
  path: string,
  change: ChangeData,
  options: FileUpdateOptions = {},
): Promise<{ data: Data; written?: string | undefined }> {
  try {
    const file = await realpath(path).catch((error: unknown) => {
      throw toInvalidData(error, "can't be read");
    });
    const update = async (replace: ReplaceFile) => {
      const locked = lockedFile(file, replace, options);
      const db = new Low(locked, NO_DATA);
      await db.read();
      const data = await applyChange(db.data, change, options);
      if (data === db.data && !options.sealing?.needsWrite) return { data };
      db.data = data;
      await db.write();
      return { data, written: locked.written };
    };
    const { signal } = options;
    return await withFileLock(file, update, {
      signal,
      alsoReplaced: basename(historyPathOf(file)),
      keepsReaders: true,
    });
  } catch (error) {
    throw error instanceof Error && "syscall" in error
      ? toInvalidData(error, "can't be written")
      : error;
  }
}

/** lowdb's adapter for a data file under its lock. */
function lockedFile(
  file: string,
  replace: ReplaceFile,
  { author = UNKNOWN_AUTHOR, clock = Date.now, sealing }: FileUpdateOptions,
) {
  /** The file as it was read. */
  let [data, state] = [NO_DATA, ""];
  const parse = (bytes: Buffer) => {
    state = contentHash(bytes);
    return parseData(bytes, sealing?.open);
  };
  return {
    /** The fingerprint of the file once it is written. */
    written: undefined as string | undefined,
    async read(): Promise<Data> {
      data = await readDataFile(file, { parse });
      return data;
    },
    async write(next: Data): Promise<void> {
      const bytes = Buffer.concat([...serializeData(sealing?.seal(next) ?? next)]);
      const nextState = contentHash(bytes);
      const write = { data, next, state, nextState, author, clock, sealing };
      let mark = async () => {};
      this.written = await replace([bytes], async () => {
        mark = await recordWrite(file, write);
        // The clock of a file system may not tell two changes apart.
        const now = await readRegularFile(file, MAX_DATA_SIZE).catch(() => undefined);
        if (!now || contentHash(now.bytes) !== state) throw new FileChangedError();
      });
      await mark().catch(() => {});
    },
  };
}
