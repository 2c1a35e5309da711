import { join } from "node:path";
import { UsageError } from "../../domain/errors.js";
import { createEtcdStore, openEtcdStore, openServedEtcdStore, type StoreAccess } from "../../etcd/open-store.js";
import { placeFiles, type StorePlace } from "../settings/data-place.js";
import type { Setting } from "../settings/layers.js";
import { readSecret, type SecretIo } from "../settings/secrets.js";
import type { LocalData, ServeDataOptions, ServedData } from "./local-data.js";
import { looseFileWarning } from "./safe-files.js";
import { openTrafficWarning } from "./store-risks.js";
import { readTlsFiles } from "./tls-texts.js";

/** The data in a store. Who can change it is for the store to decide. */
export function storeData(place: StorePlace, io: SecretIo): LocalData {
  const { url } = place.address;
  return {
    name: url,
    check: () => undefined,
    risks: () => [],
    exists: () => true,
    open: async ({ watch = false } = {}) => openEtcdStore(await readAccess(place, io), { watch }),
    create: async () => {
      const { starterData } = await import("../../store/starter-data.js");
      const data = starterData();
      await createEtcdStore(await readAccess(place, io), data);
      return { data, message: `created ${url}; it contains the credentials of all its environments` };
    },
    serve: (options) => serveStore(place, io, options),
  };
}

async function serveStore(
  place: StorePlace,
  io: SecretIo,
  { mustExist, maxSize, clock, cacheFolder }: ServeDataOptions,
): Promise<ServedData> {
  if (mustExist) throw new UsageError("--must-exist is for a data file: serve never creates the data of a store");
  if (maxSize !== undefined) throw new UsageError("--max-data-size is for a data file, not for a store");
  const access = await readAccess(place, io);
  const store = await openServedEtcdStore(access, { snapshotFolder: join(cacheFolder, "snapshots"), clock });
  const loose = await Promise.all(placeFiles(place).map(({ text }) => looseFileWarning(text)));
  const warnings = [...loose.flatMap((warning) => warning ?? []), ...openTrafficWarning(place)];
  return { store, created: undefined, notes: warnings.map((warning) => ["warn", warning]) };
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
