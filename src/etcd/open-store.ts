import type { StoreAddress } from "../domain/store-address.js";
import { SealedFile } from "../files/sealed-file.js";
import type { Data } from "../store/data.js";
import { DataKeeper, readKept } from "../store/kept-data.js";
import { parseApart } from "../store/parse-apart.js";
import { parseData } from "../store/parse-data.js";
import type { EditableStore, Reloadable, Store } from "../store/store.js";
import { EtcdStore } from "./etcd-store.js";
import { Gateway, type Times } from "./gateway.js";
import { type Author, HEAD_KEY } from "./log.js";
import { createSealing, firstKey, isSealed, UNSEALED } from "./sealing.js";
import type { OnProgress } from "./uploads.js";

/** The address of a store, and the key that seals it. */
export interface StoreAccess {
  readonly address: StoreAddress;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** PEM texts: certificates to trust in place of Node's, a client certificate and its key. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The content of the file with the keys that data is sealed with, one a line. Undefined: it is not sealed. */
  readonly sealingKeys?: string | undefined;
  /** Who writes. */
  readonly author?: Author | undefined;
}

interface OpenOptions {
  watch?: boolean | undefined;
  onProgress?: OnProgress | undefined;
}

const NOBODY: Author = { actor: "unknown", command: "unknown" };

/**
 * Opens a store to read and change it. @param options.watch whether to follow the changes of other writers
 *
 * @throws InvalidDataError; UnreachableError, UnauthorizedError, ServerError; UsageError for the keys
 */
export function openEtcdStore(access: StoreAccess, options?: OpenOptions): Promise<EditableStore & Reloadable> {
  return dataStore(access, options).open();
}

/** Writes data to a store that holds nothing. @throws InvalidDataError if it holds something; as `openEtcdStore` */
export async function createEtcdStore(access: StoreAccess, data: Data, onProgress?: OnProgress): Promise<void> {
  const store = dataStore(access, { onProgress });
  await store.create(data).finally(() => store.close());
}

/**
 * Writes all data again, sealed with the first key, and removes the log before. Reads it back with that key alone.
 *
 * @throws InvalidDataError also if another program writes with another key, or without; as `openEtcdStore`
 */
export async function sealAgain(access: StoreAccess, onProgress?: OnProgress): Promise<void> {
  const { sealingKeys = "" } = access;
  const sealing = createSealing(sealingKeys);
  const plain = { ...access, sealingKeys: undefined };
  const store = await dataStore((await isStoreSealed(access)) ? access : plain, { onProgress }).open();
  await store.sealAgain(sealing).finally(() => store.close());
  const again = await dataStore({ ...access, sealingKeys: firstKey(sealingKeys) }, { onProgress }).open();
  await again.close();
}

/** Removes the history of a store but for its last entries. @throws as `openEtcdStore` */
export async function pruneHistory(access: StoreAccess, entries: number): Promise<void> {
  const store = await dataStore(access).open();
  await store.prune(entries).finally(() => store.close());
}

async function isStoreSealed(access: StoreAccess): Promise<boolean> {
  const { gateway, prefix } = targetOf(access);
  const { entries } = await gateway.range({ key: prefix + HEAD_KEY }).finally(() => gateway.close());
  return entries.some(({ value }) => isSealed(value));
}

export interface ServedStoreOptions {
  /** The folder for the last data, which a server starts with while no member of the cluster answers. */
  cacheFolder: string;
  /** Id of the user who runs this; undefined where the system has no such ids. */
  user: number | undefined;
  /** Unix time in milliseconds. */
  clock: () => number;
  times?: Partial<Times>;
  /** Logs a warning. Without it, another process does, and keeps the last data. */
  warn?: ((text: string) => void) | undefined;
}

/** Opens a store for a server, which only reads, and follows the changes of all writers. @throws as `openEtcdStore` */
export async function openServedEtcdStore(
  access: StoreAccess,
  { cacheFolder, user, clock, times, warn }: ServedStoreOptions,
): Promise<Store & Reloadable> {
  const file = keptFile(access, cacheFolder, user);
  const onFailure = ({ message }: Error) =>
    warn?.(`the last data can't be kept for a start without the store: ${message}`);
  const keeper = warn && new DataKeeper(file, { clock, onFailure });
  const store = new EtcdStore({
    ...common(access),
    parse: parseApart,
    watch: true,
    // An election takes 2 s. A server that starts should not wait for longer than that if there is something to serve.
    times: { request: 4_000, ...times },
    readKept: (signal) => readKept(file, clock, signal),
    warn,
    ...(keeper && {
      onConfirmed: (data, version) => keeper.keep(data, version),
      onClosed: () => keeper.close(),
    }),
  });
  return store.open();
}

/** Without a secret, only the modes protect the file. */
function keptFile({ address: { url }, sealingKeys, password, key }: StoreAccess, parent: string, user?: number) {
  // A client's TLS key is often renewed, and its sealed data can't be read then.
  const secret = JSON.stringify([sealingKeys ?? "", password ?? "", (sealingKeys || password ? undefined : key) ?? ""]);
  return new SealedFile({ parent, kind: "snapshot v3", owner: url, secret, user });
}

function dataStore(access: StoreAccess, { watch, onProgress }: OpenOptions = {}) {
  return new EtcdStore({ ...common(access, onProgress), parse: parseData, watch });
}

function common(access: StoreAccess, onProgress?: OnProgress) {
  const { address, author = NOBODY } = access;
  return { url: address.url, author, target: { ...targetOf(access), onProgress } };
}

function targetOf({ address, sealingKeys, ...access }: StoreAccess) {
  const { endpoints, prefix } = address;
  const sealing = sealingKeys === undefined ? UNSEALED : createSealing(sealingKeys);
  return { gateway: new Gateway({ endpoints, ...access }), prefix, sealing };
}
