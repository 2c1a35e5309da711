import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { SealedFile } from "../kit/files/sealed-file.js";
import { MAX_KEPT_S } from "../model/defaults.js";
import { type Data, NO_DATA } from "../store/data.js";
import { dataPieces } from "../store/file/data-file.js";
import { parseApart } from "../store/file/parse-apart.js";
import { parseData } from "../store/schema/parse-data.js";
import type { Reloadable, Store } from "../store/store.js";
import type { DataKeeper, LastData } from "./etcd-store.js";
import type { Times } from "./gateway.js";
import { etcdStore, type StoreAccess } from "./open-store.js";

export interface ServedStoreOptions {
  /**
   * The folder for the last data, which a server starts with while no member of the cluster
   * answers.
   */
  cacheFolder: string;
  user: number | undefined;
  /** Unix time in milliseconds. */
  clock: () => number;
  times?: Partial<Times>;
  warn: (text: string) => void;
}

/**
 * Opens a store for a server, which only reads, and follows the changes of all writers.
 *
 * @throws as `openEtcdStore`
 */
export async function openServedEtcdStore(
  access: StoreAccess,
  { cacheFolder, user, clock, times, warn }: ServedStoreOptions,
): Promise<Store & Reloadable> {
  const onFailure = ({ message }: Error) =>
    warn(`can't save data for starting while the store is down: ${message}`);
  const store = etcdStore(access, {
    // Another thread takes time to start, and no work waits for the first data.
    parse: (bytes, signal) =>
      store.snapshot === NO_DATA ? parseData(bytes) : parseApart(bytes, signal),
    watch: true,
    // An election takes 2 s. A server that has kept data should not wait much longer for a start.
    times: { request: 4_000, ...times },
    keeper: new FileKeeper(keptFile(access, cacheFolder, user), clock, onFailure),
    warn,
  });
  return store.open();
}

/** Returns the file with the last data. Without a secret, only its modes protect it. */
function keptFile(
  { address: { url }, sealingKeys, password, key }: StoreAccess,
  parent: string,
  user?: number,
): SealedFile {
  // A client's TLS key is often renewed, and then its sealed data can't be read any more.
  const tlsKey = sealingKeys || password ? undefined : key;
  const secret = JSON.stringify([sealingKeys ?? "", password ?? "", tlsKey ?? ""]);
  const maxUnused = MAX_KEPT_S * 1_000;
  return new SealedFile({ parent, kind: "snapshot v3", owner: url, secret, user, maxUnused });
}

/** The time between two writes of the file. */
const PAUSE_MS = 30_000;

interface NextData {
  readonly data: Data;
  readonly version: string;
  /** When it was last known to be the newest, in Unix milliseconds. */
  readonly savedAt: number;
}

/** Keeps the last data of a store in a file. A failure is reported once, and ends nothing. */
class FileKeeper implements DataKeeper {
  readonly #file: SealedFile;
  readonly #clock: () => number;
  readonly #onFailure: (error: Error) => void;
  readonly #closed = new AbortController();
  #next: NextData | undefined;
  #savedVersion: string | undefined;
  #hasFailed = false;
  #saving: Promise<void> | undefined;

  /** @param onFailure called once when data can't be saved */
  constructor(file: SealedFile, clock: () => number, onFailure: (error: Error) => void) {
    this.#file = file;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  async read(signal: AbortSignal): Promise<LastData | undefined> {
    const saved = await this.#file.read();
    if (!saved) return undefined;
    const end = saved.bytes.indexOf(0x0a);
    const version = saved.bytes.subarray(0, end).toString();
    const data = await parseApart(Buffer.from(saved.bytes.subarray(end + 1)), signal);
    const age = this.#clock() - saved.savedAt;
    // If the clock has gone back, the age is unknown.
    return { data, version, age: age < 0 ? MAX_KEPT_S * 1_000 : age };
  }

  keep(data: Data, version: string): void {
    this.#next = { data, version, savedAt: this.#clock() };
    this.#saving ??= this.#saveRepeatedly();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#saving;
    await this.#save();
  }

  async #saveRepeatedly(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      await this.#save();
      await delay(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #save(): Promise<void> {
    const next = this.#next;
    if (!next) return;
    this.#next = undefined;
    try {
      if (next.version === this.#savedVersion) await this.#file.confirm(next.savedAt);
      else await this.#file.write(await bytesOf(next), next.savedAt);
      this.#savedVersion = next.version;
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#onFailure(error as Error);
      this.#hasFailed = true;
    }
  }
}

/** The version, and the bytes of a data file. Other work can go on between two pieces. */
async function bytesOf({ data, version }: NextData): Promise<Buffer> {
  const pieces = [Buffer.from(`${version}\n`)];
  for (const piece of dataPieces(data)) {
    pieces.push(piece);
    await setImmediate();
  }
  return Buffer.concat(pieces);
}
