import { SealedFile } from "../files/sealed-file.js";
import { type Data, NO_DATA } from "../store/data.js";
import { parseApart } from "../store/parse-apart.js";
import { parseData } from "../store/parse-data.js";
import type { EditableStore, Reloadable, Store } from "../store/store.js";
import { EtcdStore } from "./etcd-store.js";
import { Gateway } from "./gateway.js";
import { createSealing, UNSEALED } from "./sealing.js";
import { SnapshotKeeper } from "./snapshot-keeper.js";
import type { StoreAddress } from "./store-address.js";
import type { Times } from "./times.js";

/** The address of a store, and the key that seals its records. */
export interface StoreAccess {
  readonly address: StoreAddress;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** PEM texts: certificates to trust in place of Node's, a client certificate and its key. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The content of the file with the keys that records are sealed with, one a line. Undefined: they are not sealed. */
  readonly sealingKeys?: string | undefined;
}

/**
 * Opens a store to read and change it. @param options.watch whether to follow the changes of other writers
 *
 * @throws InvalidDataError; UnreachableError, UnauthorizedError, ServerError; UsageError for the keys
 */
export function openEtcdStore(
  access: StoreAccess,
  { watch }: { watch?: boolean } = {},
): Promise<EditableStore & Reloadable> {
  return dataStore(access, { watch }).open();
}

/** Writes data to a store that holds nothing. @throws InvalidDataError if it holds something; as `openEtcdStore` */
export async function createEtcdStore(access: StoreAccess, data: Data): Promise<void> {
  const store = dataStore(access);
  await store.create(data).finally(() => store.close());
}

/**
 * Seals the records that are not sealed with the first key, or not at all.
 *
 * @returns how many there were
 * @throws as `openEtcdStore`
 */
export async function sealAgain(access: StoreAccess): Promise<number> {
  const store = await dataStore(access, { allowsPlain: true }).open();
  return await store.sealAgain().finally(() => store.close());
}

export interface ServedStoreOptions {
  /** The folder for the last data, which a server starts with while no member of the cluster answers. */
  cacheFolder: string;
  /** Id of the user who runs this; undefined where the system has no such ids. */
  user: number | undefined;
  /** Unix time in milliseconds. */
  clock: () => number;
  times?: Partial<Times>;
  /** Called when the last data can't be kept. Without it, it is only read: another process keeps it. */
  onSnapshotFailure?: ((error: unknown) => void) | undefined;
}

/** Opens a store for a server, which only reads, and follows the changes of all writers. @throws as `openEtcdStore` */
export async function openServedEtcdStore(
  access: StoreAccess,
  { cacheFolder, user, clock, times, onSnapshotFailure: onFailure }: ServedStoreOptions,
): Promise<Store & Reloadable> {
  const file = keptFile(access, cacheFolder, user);
  const keeper = onFailure && new SnapshotKeeper(file, { clock, onFailure });
  const store = new EtcdStore({
    ...common(access, clock),
    nothing: NO_DATA,
    parse: parseApart,
    watch: true,
    // An election takes 2 s. A server that starts should not wait for longer than that if there is something to serve.
    times: { request: 4_000, ...times },
    readKept: async (signal) => {
      const saved = await file.read();
      return saved && { data: await parseApart(saved.bytes, signal), age: clock() - saved.savedAt };
    },
    ...(keeper && {
      onData: (bytes) => keeper.keep(bytes),
      onConfirmed: () => keeper.confirm(),
      onClosed: () => keeper.close(),
    }),
  });
  return store.open();
}

/** Without a secret, only the modes protect the file. */
function keptFile({ address: { url }, sealingKeys, password, key }: StoreAccess, parent: string, user?: number) {
  // A client's TLS key is often renewed, and its sealed data can't be read then.
  const secret = JSON.stringify([sealingKeys ?? "", password ?? "", (sealingKeys || password ? undefined : key) ?? ""]);
  return new SealedFile({ parent, kind: "snapshot v2", owner: url, secret, user });
}

function dataStore(
  access: StoreAccess,
  { watch, allowsPlain }: { watch?: boolean | undefined; allowsPlain?: boolean } = {},
) {
  return new EtcdStore({ ...common(access, Date.now, allowsPlain), nothing: NO_DATA, parse: parseData, watch });
}

function common({ address, sealingKeys, ...access }: StoreAccess, clock: () => number, allowsPlain = false) {
  const { endpoints, prefix, url } = address;
  const sealing = sealingKeys === undefined ? UNSEALED : createSealing(sealingKeys, { allowsPlain });
  return { url, target: { gateway: new Gateway({ endpoints, ...access }), prefix, sealing, clock } };
}
