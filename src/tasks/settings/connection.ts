import { parseStoreUrl, type StoreAddress } from "../../etcd/store-address.js";
import { KEY_FILE_END } from "../../model/sealed-text.js";
import type { NamedFile } from "../files/named-file.js";
import type { RemoteSettings } from "./remote-settings.js";
import { findBoth, type SecretSetting, type TlsFiles, tlsFilesOf } from "./secret-files.js";
import { type FindableSettings, SETTINGS, type Setting } from "./setting-table.js";

export interface LocalSettings {
  kind: "local";
  place: DataPlace;
  env: string | undefined;
}

export type Connection = RemoteSettings | LocalSettings;

export interface FilePlace {
  kind: "file";
  path: string;
  /** Whether no setting names it. */
  isDefault?: boolean;
  /** Its sealing keys, from the settings or the key file beside it. */
  sealKey?: SecretSetting | undefined;
  /** Whether it may be plain: the keys may be for a copy. */
  mayBePlain?: true;
}

export interface StorePlace {
  kind: "store";
  address: StoreAddress;
  user: string | undefined;
  password: Setting | undefined;
  sealKey: SecretSetting | undefined;
  tls: TlsFiles;
}

/** The place of data that commands read, change or serve without a server. */
export type DataPlace = FilePlace | StorePlace;

/** The key file that `seal` and `init` write. */
export function keyFileOf(path: string): SecretSetting {
  return { name: "sealKeyFile", text: path + KEY_FILE_END, from: "the key file" };
}

export function storePlaceOf(settings: FindableSettings, { text, from }: NamedFile): StorePlace {
  const address = parseStoreUrl(text, from);
  const [user, password] = findBoth(settings, "storeUser", "storePassword");
  return {
    kind: "store",
    address,
    user: user?.text,
    password,
    sealKey: settings.find("sealKey"),
    tls: tlsFilesOf(settings, "storeCaFile", "storeClientCert", "storeClientKey"),
  };
}

/** The path of the file or the URL of the store. */
export function dataPlaceName(place: DataPlace): string {
  return place.kind === "file" ? place.path : place.address.url;
}

/** The flags that select the data. */
export function placeFlags(place: DataPlace, resolvePath = (path: string) => path): string[] {
  const source =
    place.kind === "file" ? ["--data", resolvePath(place.path)] : ["--store", place.address.url];
  const { name, text = "" } = place.sealKey ?? {};
  // The key file beside a data file needs no flag.
  if (name !== "sealKeyFile" || text === dataPlaceName(place) + KEY_FILE_END) return source;
  return [...source, "--seal-key-file", resolvePath(text)];
}

/** The files with the data or with secrets, and the setting that names each. */
export function placeFiles(place: DataPlace): NamedFile[] {
  const isFile = place.kind === "file";
  const files: NamedFile[] = isFile ? [{ text: place.path, from: "--data" }] : [];
  const secrets = isFile ? [] : [place.password, place.tls.key];
  for (const secret of [place.sealKey, ...secrets])
    if (secret && SETTINGS[secret.name].kind === "file") files.push(secret);
  return files;
}
