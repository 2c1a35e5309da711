import { UsageError } from "../../domain/errors.js";
import { parseStoreUrl, type StoreAddress } from "../../etcd/store-address.js";
import { findSetting, type GivenSettings, type Setting } from "./setting.js";
import { DEFAULT_DATA_FILE, placeOf, type SettingName } from "./setting-table.js";

export interface FilePlace {
  kind: "file";
  path: string;
  /** Whether nothing names it. */
  isDefault?: boolean;
}

export interface StorePlace extends TlsFiles {
  kind: "store";
  address: StoreAddress;
  user: string | undefined;
  /** The password, or the file that holds it. */
  password: Setting | undefined;
  /** The file with the keys that records are sealed with. */
  keyFile: Setting | undefined;
}

/** Where the data is that commands read, change and serve without a server in between. */
export type DataPlace = FilePlace | StorePlace;

/** The files that a client uses for TLS: certificates to trust; a certificate of its own and its key, both or none. */
export interface TlsFiles {
  caFile: Setting | undefined;
  clientCert: Setting | undefined;
  clientKey: Setting | undefined;
}

/**
 * @param source the setting that names it; undefined for the default
 * @throws UsageError for a setting that breaks a rule
 */
export function dataPlaceOf(
  given: GivenSettings,
  source: Pick<Setting, "name" | "text" | "from"> | undefined,
): DataPlace {
  if (!source) return { kind: "file", path: DEFAULT_DATA_FILE, isDefault: true };
  return source.name === "store" ? storePlaceOf(given, source) : { kind: "file", path: source.text };
}

function storePlaceOf(given: GivenSettings, { text, from }: Pick<Setting, "text" | "from">): StorePlace {
  const address = parseStoreUrl(text, from);
  const user = findSetting(given, "storeUser");
  const password = findSetting(given, "storePassword", "storePasswordFile");
  requireBoth(user, "APPVARS_STORE_USER", password, "APPVARS_STORE_PASSWORD or APPVARS_STORE_PASSWORD_FILE");
  const files = tlsFilesOf(given, "storeCaFile", "storeClientCert", "storeClientKey");
  const keyFile = findSetting(given, "storeKeyFile");
  for (const file of [keyFile, password])
    if (file && file.name !== "storePassword" && file.text === "-")
      throw new UsageError(`${file.from} must be a file, not stdin`);
  return { kind: "store", address, user: user?.text, password, keyFile, ...files };
}

/** @throws UsageError for a certificate without its key, or the key without it */
export function tlsFilesOf(given: GivenSettings, ca: SettingName, cert: SettingName, key: SettingName): TlsFiles {
  const [clientCert, clientKey] = [findSetting(given, cert), findSetting(given, key)];
  const nameOf = (name: SettingName) => placeOf(name, "flag") ?? `${placeOf(name, "variable")}`;
  requireBoth(clientCert, nameOf(cert), clientKey, nameOf(key));
  return { caFile: findSetting(given, ca), clientCert, clientKey };
}

/** @param name @param otherName of the settings, for messages @throws UsageError if only one of two is given */
function requireBoth(one: Setting | undefined, name: string, other: Setting | undefined, otherName: string): void {
  if (one && !other) throw new UsageError(`${one.from} needs ${otherName} too`);
  if (other && !one) throw new UsageError(`${other.from} needs ${name} too`);
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
