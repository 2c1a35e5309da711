import { isLoopback } from "../../client/options.js";
import type { EtcdStore } from "../../etcd/etcd-store.js";
import {
  createEtcdStore,
  openEtcdStore,
  type StoreAccess,
  sealAgain,
} from "../../etcd/open-store.js";
import type { OnProgress } from "../../etcd/uploads.js";
import { looseModeWarning } from "../../kit/files/owners.js";
import { UsageError } from "../../kit/text/errors.js";
import type { Reloadable, Store } from "../../store/store.js";
import { placeFiles, type SecretSetting, type StorePlace } from "../settings/connection.js";
import { readSecret, readTlsFiles, type SecretIo } from "../settings/secret-files.js";
import type { Io } from "../surroundings.js";
import { authorOf } from "./author.js";
import type { LocalData, ServeDataOptions } from "./local-data.js";

type StoreIo = SecretIo & Pick<Io, "command" | "env" | "clock" | "progress">;

/** The data in a store. Who can change it is for the store to decide. */
export function storeData(place: StorePlace, io: StoreIo): LocalData {
  const { url } = place.address;
  return {
    name: url,
    check: () => undefined,
    risks: () => [],
    read: () => withStore(place, io, async ({ snapshot }) => snapshot),
    update: (change, options) =>
      withStore(place, io, async (store) => {
        await store.update(change, options);
        return store.snapshot;
      }),
    history: (use) => withStore(place, io, async (store) => use(await store.history())),
    follow: async () => openEtcdStore(await readAccess(place, io), { watch: true }),
    create: async (data) => {
      await createEtcdStore(await readAccess(place, io), data, progressOf(io));
      return `created ${url}; it contains the credentials of all its environments`;
    },
    copyHistory: async () => {},
    seal: async (form) => {
      if (form === "plain") throw new UsageError("unseal is for a data file");
      await sealAgain(await readAccess(place, io), progressOf(io));
      return true;
    },
    serve: (options) => serveStore(place, io, options),
  };
}

async function withStore<T>(
  place: StorePlace,
  io: StoreIo,
  use: (store: EtcdStore) => Promise<T>,
): Promise<T> {
  const store = await openEtcdStore(await readAccess(place, io), { onProgress: progressOf(io) });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

async function serveStore(
  place: StorePlace,
  io: StoreIo,
  { cacheFolder, log }: ServeDataOptions,
): Promise<Store & Reloadable> {
  const { openServedEtcdStore } = await import("../../etcd/served-store.js");
  const { user, clock } = io;
  const warn = (text: string) => log("warn", text);
  const access = await readAccess(place, io);
  const store = await openServedEtcdStore(access, { cacheFolder, user, clock, warn });
  const loose = placeFiles(place).map(({ text }) => looseModeWarning(text));
  for (const warning of [...loose, ...openTrafficWarning(place)]) if (warning) warn(warning);
  return store;
}

/** One warning if the connection to another machine is not encrypted, otherwise none. */
export function openTrafficWarning({ address: { endpoints, url } }: StorePlace): string[] {
  const isOpen = endpoints
    .map((origin) => new URL(origin))
    .some(({ protocol, hostname }) => protocol === "http:" && !isLoopback(hostname));
  return isOpen ? [`${url}: without TLS the traffic can be read; use etcds://`] : [];
}

/** Removes the history of a store but for its last entries. @throws as `openEtcdStore` */
export function pruneStore(place: StorePlace, entries: number, io: StoreIo): Promise<void> {
  return withStore(place, io, (store) => store.prune(entries));
}

function progressOf(io: StoreIo): OnProgress {
  return ({ action, done, total }) => {
    if (done < total) io.progress?.(`${action} the store: ${done} of ${total} MB`);
  };
}

/** @throws UsageError for a file that can't be read */
async function readAccess(
  { address, user, password, sealKey, caFile, clientCert, clientKey }: StorePlace,
  io: StoreIo,
): Promise<StoreAccess> {
  const read = async (setting: SecretSetting | undefined) => setting && readSecret(setting, io);
  const tls = await readTlsFiles({ caFile, clientCert, clientKey });
  const sealingKeys = await read(sealKey);
  return {
    address,
    user,
    password: await read(password),
    ...tls,
    sealingKeys,
    author: authorOf(io),
  };
}
