import { UsageError } from "../../domain/errors.js";
import { parseStoreUrl, type StoreAddress } from "../../etcd/store-address.js";
import { findSetting, type Layers, requireBoth, type Setting } from "./layers.js";
import { DEFAULT_DATA_FILE, type SettingName } from "./setting-names.js";

export interface FilePlace {
  kind: "file";
  path: string;
  /** Whether nothing names it. */
  isDefault?: boolean;
}

export interface StorePlace {
  kind: "store";
  address: StoreAddress;
  user: string | undefined;
  /** The password, or the file that holds it. */
  password: Setting | undefined;
  /** The file with the keys that records are sealed with. */
  keyFile: Setting | undefined;
  caFile: Setting | undefined;
  /** The files of a client certificate and its key: both or none. */
  clientCert: Setting | undefined;
  clientKey: Setting | undefined;
}

/** Where the data is that commands read, change and serve without a server in between. */
export type DataPlace = FilePlace | StorePlace;

/**
 * @param given the setting that names it; undefined for the default
 * @throws UsageError for a setting that breaks a rule
 */
export function dataPlaceOf(layers: Layers, given: Setting | undefined): DataPlace {
  if (!given) return { kind: "file", path: DEFAULT_DATA_FILE, isDefault: true };
  if (given.name !== "store") return { kind: "file", path: given.text };
  const address = parseStoreUrl(given.text, given.from);
  const find = (...names: SettingName[]) => findSetting(layers, ...names);
  const [user, password] = [find("storeUser"), find("storePassword", "storePasswordFile")];
  requireBoth([user, password], ["APPVARS_STORE_USER", "APPVARS_STORE_PASSWORD or APPVARS_STORE_PASSWORD_FILE"]);
  const [clientCert, clientKey] = [find("storeClientCert"), find("storeClientKey")];
  requireBoth([clientCert, clientKey], ["APPVARS_STORE_CLIENT_CERT", "APPVARS_STORE_CLIENT_KEY"]);
  const [keyFile, caFile] = [find("storeKeyFile"), find("storeCaFile")];
  for (const file of [keyFile, password?.name === "storePasswordFile" ? password : undefined])
    if (file?.text === "-") throw new UsageError(`${file.from} must be a file, not stdin`);
  return { kind: "store", address, user: user?.text, password, keyFile, caFile, clientCert, clientKey };
}

/** What messages call the data: the path of the file or the URL of the store. */
export function placeName(place: DataPlace): string {
  return place.kind === "file" ? place.path : place.address.url;
}

/** The flags that select it. @param resolvePath applied to the paths in them */
export function placeFlags(place: DataPlace, resolvePath = (relative: string) => relative): string[] {
  if (place.kind === "file") return ["--data", resolvePath(place.path)];
  const { address, keyFile } = place;
  return ["--store", address.url, ...(keyFile ? ["--store-key-file", resolvePath(keyFile.text)] : [])];
}

/** The files with the data or with secrets, and what names each. */
export function placeFiles(place: DataPlace): Pick<Setting, "text" | "from">[] {
  if (place.kind === "file") return [{ text: place.path, from: "--data" }];
  const { keyFile, password, clientKey } = place;
  return [keyFile, password, clientKey].flatMap((file) => (file && file.name !== "storePassword" ? [file] : []));
}
