import { isLoopback } from "../../client/options.js";
import { InvalidDataError } from "../../domain/errors.js";
import { createEtcdStore, openEtcdStore, type StoreAccess, sealAgain } from "../../etcd/open-store.js";
import { looseModeWarning } from "../../files/owners.js";
import type { EditableStore } from "../../store/store.js";
import { placeFiles, type StorePlace } from "../settings/connection.js";
import { readSecret, readTlsFiles, type SecretIo } from "../settings/secret-files.js";
import type { Setting } from "../settings/setting-table.js";
import type { LocalData, ServeDataOptions } from "./local-data.js";
import type { ServedData } from "./served-data.js";

/** The data in a store. Who can change it is for the store to decide. */
export function storeData(place: StorePlace, io: SecretIo): LocalData {
  const { url } = place.address;
  return {
    name: url,
    check: () => undefined,
    risks: () => [],
    exists: () => true,
    read: () => withStore(place, io, async ({ snapshot }) => snapshot),
    update: (change) =>
      withStore(place, io, async (store) => {
        await store.update(change);
        return store.snapshot;
      }),
    follow: async () => openEtcdStore(await readAccess(place, io), { watch: true }),
    create: async (data) => {
      await createEtcdStore(await readAccess(place, io), data);
      return `created ${url}; it contains the credentials of all its environments`;
    },
    served: (options) => prepareStore(place, io, options),
  };
}

async function withStore<T>(place: StorePlace, io: SecretIo, use: (store: EditableStore) => Promise<T>): Promise<T> {
  const store = await openEtcdStore(await readAccess(place, io), { watch: false });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

async function prepareStore(
  place: StorePlace,
  io: SecretIo,
  { cacheFolder, log }: ServeDataOptions,
): Promise<ServedData> {
  const loose = placeFiles(place).map(({ text }) => looseModeWarning(text));
  for (const warning of [...loose, ...openTrafficWarning(place)]) if (warning) log("warn", warning);
  return { kind: "store", access: await readAccess(place, io), cacheFolder, user: io.user };
}

/** One warning if the connection to another machine is not encrypted, otherwise none. */
export function openTrafficWarning({ address: { endpoints, url } }: StorePlace): string[] {
  const isOpen = endpoints
    .map((origin) => new URL(origin))
    .some(({ protocol, hostname }) => protocol === "http:" && !isLoopback(hostname));
  return isOpen ? [`${url}: without TLS the traffic can be read; use etcds://`] : [];
}

/**
 * Seals all records of a store with the first of its keys.
 *
 * @returns how many were sealed in another way, or not at all
 * @throws InvalidDataError if another program still writes such records; as `open`
 */
export async function sealStore(place: StorePlace, io: SecretIo): Promise<number> {
  const access = await readAccess(place, io);
  const sealed = await sealAgain(access);
  // Reads all records again.
  const others = sealed > 0 ? await sealAgain(access) : 0;
  if (others === 0) return sealed;
  throw new InvalidDataError(
    `${place.address.url} was sealed, but another program writes records without the first key: give it the key file, ` +
      "and repeat this",
  );
}

/** @throws UsageError for a file that can't be read */
async function readAccess(
  { address, user, password, keyFile, caFile, clientCert, clientKey }: StorePlace,
  io: SecretIo,
): Promise<StoreAccess> {
  const read = async (setting: Setting | undefined) => setting && readSecret(setting, io);
  const tls = await readTlsFiles({ caFile, clientCert, clientKey });
  return { address, user, password: await read(password), ...tls, sealingKeys: await read(keyFile) };
}
