import { SealedFile } from "../kit/files/sealed-file.js";
import { MAX_KEPT_S } from "../model/defaults.js";
import { NO_DATA } from "../store/data.js";
import { parseApart } from "../store/file/parse-apart.js";
import { parseData } from "../store/schema/parse-data.js";
import type { Reloadable, Store } from "../store/store.js";
import type { Times } from "./gateway.js";
import { DataKeeper } from "./kept-data.js";
import { etcdStore, type StoreAccess } from "./open-store.js";

export interface ServedStoreOptions {
  /**
   * The folder for the last data, which a server starts with while no member of the cluster
   * answers.
   */
  cacheFolder: string;
  user: number | undefined;
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
    // An election takes 2 s. A server that starts should not wait for longer than that if there is
    // something to serve.
    times: { request: 4_000, ...times },
    keeper: new DataKeeper(keptFile(access, cacheFolder, user), { clock, onFailure }),
    warn,
  });
  return store.open();
}

/** Without a secret, only the modes protect the file. */
function keptFile(
  { address: { url }, sealingKeys, password, key }: StoreAccess,
  parent: string,
  user?: number,
) {
  // A client's TLS key is often renewed, and its sealed data can't be read then.
  const secret = JSON.stringify([
    sealingKeys ?? "",
    password ?? "",
    (sealingKeys || password ? undefined : key) ?? "",
  ]);
  return new SealedFile({
    parent,
    kind: "snapshot v3",
    owner: url,
    secret,
    user,
    maxUnused: MAX_KEPT_S * 1_000,
  });
}
