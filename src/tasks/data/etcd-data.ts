import type { EtcdStore } from "../../etcd/etcd-store.js";
import {
  createEtcdStore,
  type EtcdConnection,
  openEtcdStore,
  resealAll,
} from "../../etcd/open-store.js";
import type { OnProgress } from "../../etcd/uploads.js";
import { looseModeWarning } from "../../kit/files/owners.js";
import { isLoopback } from "../../kit/net/endpoint.js";
import { UsageError } from "../../kit/text/errors.js";
import type { Reloadable, Store } from "../../store/store.js";
import { type EtcdLocation, locationFiles } from "../settings/connection.js";
import { readSecret, readTlsFiles } from "../settings/secret-files.js";
import { authorOf, type Caller } from "../surroundings.js";
import type { DataAccess, ServeDataOptions } from "./data-access.js";

/** Returns the data in a store, which decides itself who can change it. */
export function etcdData(location: EtcdLocation, caller: Caller): DataAccess {
  const { url } = location.address;
  return {
    name: url,
    check: () => undefined,
    read: () => withStore(location, caller, async ({ data }) => data),
    update: (change, options) =>
      withStore(location, caller, async (store) => {
        await store.update(change, options);
        return store.data;
      }),
    history: (use) => withStore(location, caller, async (store) => use(await store.history())),
    follow: async () => openEtcdStore(await readAccess(location, caller), { watch: true }),
    create: async (data) => {
      await createEtcdStore(await readAccess(location, caller), data, progressOf(caller));
      return `created ${url}; it contains the credentials of all its environments`;
    },
    copyHistory: async () => {},
    writeAs: async (form) => {
      if (form === "plain") throw new UsageError("unseal is for a data file");
      await resealAll(await readAccess(location, caller), progressOf(caller));
      return true;
    },
    serve: (options) => serveStore(location, caller, options),
  };
}

async function withStore<T>(
  location: EtcdLocation,
  caller: Caller,
  use: (store: EtcdStore) => Promise<T>,
): Promise<T> {
  const store = await openEtcdStore(await readAccess(location, caller), {
    onProgress: progressOf(caller),
  });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

async function serveStore(
  location: EtcdLocation,
  caller: Caller,
  { cacheFolder, log }: ServeDataOptions,
): Promise<Store & Reloadable> {
  const { openServedEtcdStore } = await import("../../etcd/served-store.js");
  const { user, clock } = caller.surroundings;
  const warn = (text: string) => log("warn", text);
  const access = await readAccess(location, caller);
  const store = await openServedEtcdStore(access, { cacheFolder, user, clock, warn });
  const loose = locationFiles(location).map(({ text }) => looseModeWarning(text));
  for (const warning of [...loose, ...plainTrafficWarnings(location)]) if (warning) warn(warning);
  return store;
}

export function plainTrafficWarnings({ address: { endpoints, url } }: EtcdLocation): string[] {
  const isExposed = endpoints.some((endpoint) => {
    const { protocol, hostname } = new URL(endpoint);
    return protocol === "http:" && !isLoopback(hostname);
  });
  return isExposed ? [`${url}: without TLS the traffic can be read; use etcds://`] : [];
}

export function pruneStore(location: EtcdLocation, entries: number, caller: Caller): Promise<void> {
  return withStore(location, caller, (store) => store.prune(entries));
}

function progressOf(caller: Caller): OnProgress {
  return (action, done, total) => {
    if (done < total) caller.progress(`${action} the store: ${done} of ${total} MB`);
  };
}

async function readAccess(
  { address, user, password, sealKey, tls }: EtcdLocation,
  caller: Caller,
): Promise<EtcdConnection> {
  return {
    address,
    user,
    sealKeys: sealKey && (await readSecret(sealKey, caller)),
    password: password && (await readSecret(password, caller)),
    ...(await readTlsFiles(tls)),
    author: authorOf(caller),
  };
}
