import type { TlsPem } from "../kit/net/tls-options.js";
import type { StoreAddress } from "../model/store-address.js";
import { firstKey } from "../store/bytes/seal-keys.js";
import type { Data } from "../store/data.js";
import { type Author, UNKNOWN_AUTHOR } from "../store/history.js";
import { parseData } from "../store/schema/parse-data.js";
import { EtcdStore, type EtcdStoreOptions } from "./etcd-store.js";
import { Gateway } from "./gateway.js";
import { KEYS } from "./log.js";
import type { GatewayOptions } from "./member-client.js";
import { isSealed, Sealing } from "./sealing.js";
import type { OnProgress, StoreTarget } from "./uploads.js";

export interface EtcdConnection extends Pick<GatewayOptions, "user" | "password">, TlsPem {
  address: StoreAddress;
  /** The content of the key file; `undefined` if the store is not sealed. */
  sealKeys?: string | undefined;
  author?: Author;
}

type OpenOptions = Omit<EtcdStoreOptions, "target" | "url" | "author"> &
  Partial<Pick<StoreTarget, "parse" | "onProgress">> &
  Pick<GatewayOptions, "times">;

/**
 * @throws InvalidDataError; UnreachableError, UnauthorizedError, ServerError;
 *   UsageError for keys
 */
export function openEtcdStore(access: EtcdConnection, options?: OpenOptions): Promise<EtcdStore> {
  return etcdStore(access, options).open();
}

/** @throws InvalidDataError if it holds something; as `openEtcdStore` */
export async function createEtcdStore(
  access: EtcdConnection,
  data: Data,
  onProgress?: OnProgress,
): Promise<void> {
  const store = etcdStore(access, { onProgress });
  await store.create(data).finally(() => store.close());
}

/**
 * Writes all data again, sealed with the first key, and removes the earlier
 * log. Then reads the data with that key alone.
 *
 * @throws InvalidDataError also if another program writes with another key; as
 *   `openEtcdStore`
 */
export async function resealAll(access: EtcdConnection, onProgress?: OnProgress): Promise<void> {
  const { sealKeys = "" } = access;
  const sealing = new Sealing(sealKeys);
  const now = (await isStoreSealed(access)) ? sealKeys : undefined;
  const store = await openEtcdStore({ ...access, sealKeys: now }, { onProgress });
  await store.resealAll(sealing).finally(() => store.close());
  const sealed = { ...access, sealKeys: firstKey(sealKeys) };
  const again = await openEtcdStore(sealed, { onProgress });
  await again.close();
}

async function isStoreSealed({ address, ...access }: EtcdConnection): Promise<boolean> {
  const gateway = new Gateway({ ...address, ...access });
  const heads = await gateway.range({ key: KEYS.head }).finally(() => gateway.close());
  return heads.some(({ value }) => isSealed(value));
}

/** @throws UsageError for the keys */
export function etcdStore(
  { address, sealKeys, author = UNKNOWN_AUTHOR, ...access }: EtcdConnection,
  { times, parse = (bytes) => parseData(bytes), onProgress, ...options }: OpenOptions = {},
): EtcdStore {
  const gateway = new Gateway({ ...address, ...access, times });
  const target = { gateway, sealing: new Sealing(sealKeys), parse, onProgress };
  return new EtcdStore({ ...options, url: address.url, author, target });
}
