import type { StoreAccess } from "../../etcd/open-store.js";
import type { Reloadable, Store } from "../../store/store.js";
import { type FileUser, refuseToReload } from "./safe-files.js";

/** Where served data is, in a form that can be sent to another process. It may hold secrets. */
export type ServedData =
  | {
      readonly kind: "file";
      readonly path: string;
      readonly user: FileUser;
      readonly sealKeys: string | undefined;
    }
  | {
      readonly kind: "store";
      readonly access: StoreAccess;
      /** The user's folder for caches, and their id. */
      readonly cacheFolder: string;
      readonly user: number | undefined;
    };

/**
 * Opens data for a server, and follows its changes.
 *
 * @param clock Unix time in milliseconds
 * @param warn logs a warning about a store; without it, its last data is not kept on disk
 * @throws InvalidDataError, also if other users can change a file; as `openEtcdStore`
 */
export async function openServed(
  data: ServedData,
  clock: () => number,
  warn?: (text: string) => void,
): Promise<Store & Reloadable> {
  if (data.kind === "file") {
    const { path, user, sealKeys } = data;
    const { openDataFile } = await import("../../store/file/json-file-store.js");
    return openDataFile(path, {
      watch: true,
      sealKeys,
      check: (file) => refuseToReload(file, user),
    });
  }
  const { openServedEtcdStore } = await import("../../etcd/served-store.js");
  const { access, ...options } = data;
  return openServedEtcdStore(access, { ...options, clock, warn });
}
