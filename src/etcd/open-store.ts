import type { Data } from "../store/data.js";
import type { PackedData } from "../store/packed-data.js";
import type { EditableStore, Reloadable, Store } from "../store/store.js";
import type { StoreAddress } from "./store-address.js";

/** How to reach a store, and what its records are sealed with. */
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

/** A store that was opened to be read and changed. @param options.watch whether to follow changes of others */
export function openEtcdStore(
  _access: StoreAccess,
  _options: { watch?: boolean } = {},
): Promise<EditableStore & Reloadable> {
  throw new Error("not implemented");
}

export interface ServedStoreOptions {
  /** Where the last data is kept, for a start while no member of the cluster answers. */
  snapshotFolder?: string | undefined;
  /** Unix time in milliseconds. */
  clock: () => number;
}

/** A store for a server, which follows changes and only reads. */
export function openServedEtcdStore(
  _access: StoreAccess,
  _options: ServedStoreOptions,
): Promise<Store<PackedData> & Reloadable> {
  throw new Error("not implemented");
}

/** Writes data to a store that holds nothing. @throws InvalidDataError if it holds something */
export function createEtcdStore(_access: StoreAccess, _data: Data): Promise<void> {
  throw new Error("not implemented");
}
