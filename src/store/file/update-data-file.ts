import { realpath } from "node:fs/promises";
import { type Adapter, Low } from "lowdb";
import { ChangedError, type ReplaceFile, withFileLock } from "../../kit/files/file-lock.js";
import { readRegularFile } from "../../kit/files/open-file.js";
import { toInvalidData } from "../../kit/files/system-errors.js";
import { type Data, NO_DATA } from "../data.js";
import { type Author, NOBODY } from "../history.js";
import { parseData } from "../schema/parse-data.js";
import { applyChange } from "../schema/value-schema.js";
import type { ChangeData, UpdateOptions } from "../store.js";
import { dataPieces, MAX_DATA_SIZE, readDataFile } from "./data-file.js";
import { historyPathOf, recordWrite } from "./file-history.js";
import type { FileSealing } from "./file-sealing.js";
import { stateOf } from "./history-lines.js";

interface FileUpdateOptions extends Pick<UpdateOptions, "mayBreakSchemas"> {
  author?: Author | undefined;
  /** Unix time in milliseconds. */
  clock?: (() => number) | undefined;
  /** Cancels it, until the file is changed. */
  signal?: AbortSignal;
  /** A new one for each update. Without it, a sealed file is refused. */
  sealing?: FileSealing | undefined;
}

/** A `LockedFile` replaces it while the lock is held. */
const UNLOCKED: Adapter<Data> = { read: async () => null, write: async () => {} };

/**
 * Reads the data file, applies `change`, records it in the history and replaces the file, all under
 * its lock: no other writer's change is lost, and this one is on disk when this resolves. If
 * another program changes the file meanwhile, `change` is called again. A link stays a link.
 * Without a change, nothing is written, unless the sealing is due.
 *
 * @param db if the update fails before the file is replaced, its data is meaningless until it is
 *   read again
 * @returns the data as it was written, and the fingerprint of the file if that has changed
 * @throws NotDurableError when the change was made but may not be on disk. Otherwise the file is
 *   unchanged: InvalidDataError when it can't be read, locked or written, or when its history can't
 *   be written; errors of `applyChange`; the signal's reason
 */
export async function updateDataFile(
  path: string,
  change: ChangeData,
  options: FileUpdateOptions = {},
  db = new Low<Data>(UNLOCKED, NO_DATA),
): Promise<{ data: Data; written?: string | undefined }> {
  const { adapter } = db;
  try {
    const file = await realpath(path).catch((error: unknown) => {
      throw toInvalidData(error, "can't be read");
    });
    const update = async (replace: ReplaceFile) => {
      const locked = new LockedFile(file, replace, options);
      db.adapter = locked;
      await db.read();
      const next = await applyChange(db.data, change, options);
      if (next === db.data && !options.sealing?.isDue) return { data: next };
      db.data = next;
      await db.write();
      return { data: next, written: locked.written };
    };
    const { signal } = options;
    return await withFileLock(file, update, {
      signal,
      also: [historyPathOf(file)],
      keepsReaders: true,
    });
  } catch (error) {
    throw error instanceof Error && "syscall" in error
      ? toInvalidData(error, "can't be written")
      : error;
  } finally {
    db.adapter = adapter;
  }
}

/** lowdb's adapter for a data file under its lock. */
class LockedFile implements Adapter<Data> {
  readonly #file: string;
  readonly #replace: ReplaceFile;
  readonly #options: FileUpdateOptions;
  #data = NO_DATA;
  /** The state of the file as it was read. */
  #state = "";
  /** The fingerprint of the file once it is written. */
  written: string | undefined;

  constructor(file: string, replace: ReplaceFile, options: FileUpdateOptions) {
    this.#file = file;
    this.#replace = replace;
    this.#options = options;
  }

  async read(): Promise<Data> {
    const parse = (bytes: Buffer) => {
      this.#state = stateOf(bytes);
      return parseData(bytes, this.#options.sealing?.open);
    };
    this.#data = await readDataFile(this.#file, { parse });
    return this.#data;
  }

  async write(next: Data): Promise<void> {
    const { author = NOBODY, clock = Date.now, sealing } = this.#options;
    const bytes = Buffer.concat([...dataPieces(sealing?.seal(next) ?? next)]);
    const states = [this.#state, stateOf(bytes)] as const;
    const write = { data: this.#data, next, states, author, clock, sealing };
    let mark = async () => {};
    this.written = await this.#replace([bytes], async () => {
      mark = await recordWrite(this.#file, write);
      // The clock of a file system may not tell two changes apart.
      const now = await readRegularFile(this.#file, MAX_DATA_SIZE).catch(() => undefined);
      if (!now || stateOf(now.bytes) !== this.#state) throw new ChangedError();
    });
    await mark().catch(() => {});
  }
}
