import { SealedCache } from "../kit/files/sealed-cache.js";
import { MAX_CACHE_AGE_S } from "../model/defaults.js";
import { parseInThread } from "../store/bytes/parse-in-thread.js";
import { NO_DATA } from "../store/data.js";
import { parseData } from "../store/schema/parse-data.js";
import type { Reloadable, Store } from "../store/store.js";
import type { Timings } from "./member-client.js";
import { OfflineCopy } from "./offline-copy.js";
import { type EtcdConnection, etcdStore } from "./open-store.js";

export interface ServedStoreOptions {
  /**
   * The folder of the offline copy, which a server starts with while no member
   * answers.
   */
  cacheFolder: string;
  user: number | undefined;
  /** Unix time in milliseconds. */
  clock: () => number;
  times?: Partial<Timings>;
  warn: (text: string) => void;
}

/**
 * Opens a store for a server, which follows all writers.
 *
 * @throws as `openEtcdStore`
 */
export async function openServedEtcdStore(
  access: EtcdConnection,
  { cacheFolder, user, clock, times, warn }: ServedStoreOptions,
): Promise<Store & Reloadable> {
  const onFailure = ({ message }: Error) =>
    warn(`can't save data for starting while the store is down: ${message}`);
  const store = etcdStore(access, {
    // Another thread takes time to start, and the first read delays no other
    // work.
    parse: (bytes, signal) =>
      store.data === NO_DATA ? parseData(bytes) : parseInThread(bytes, signal),
    watch: true,
    // An election takes 2 s. A server with an offline copy should not start
    // much later.
    times: { request: 4_000, ...times },
    offlineCopy: new OfflineCopy(offlineFile(access, cacheFolder, user), clock, onFailure),
    warn,
  });
  return store.open();
}

/**
 * Returns the file of the offline copy. Without a secret, only its modes
 * protect it.
 */
function offlineFile(
  { address: { url }, sealKeys, password, key }: EtcdConnection,
  parent: string,
  user?: number,
): SealedCache {
  // The last resort: a TLS key is often renewed, and then the copy can't be
  // read any more.
  const tlsKey = sealKeys || password ? undefined : key;
  const secret = JSON.stringify([sealKeys ?? "", password ?? "", tlsKey ?? ""]);
  return new SealedCache({
    parent,
    kind: "appvars snapshot v3",
    context: url,
    secret,
    user,
    maxUnused: MAX_CACHE_AGE_S * 1_000,
  });
}
