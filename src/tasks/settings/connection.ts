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
  /** Whether nothing names it. */
  isDefault?: boolean;
  /** The keys that it is sealed with, from the settings or the key file beside it. */
  sealKey?: SecretSetting | undefined;
  /** Whether it may be plain although there are keys, which may be for a copy. */
  mayBePlain?: true;
}

export interface StorePlace {
  kind: "store";
  address: StoreAddress;
  user: string | undefined;
  password: Setting | undefined;
  /** The keys that its records are sealed with. */
  sealKey: SecretSetting | undefined;
  tls: TlsFiles;
}

/** The place of data that commands read, change or serve themselves, without a server. */
export type DataPlace = FilePlace | StorePlace;

/** The key file that `seal` and `init` write. */
export function keyFileOf(path: string): SecretSetting {
  return { name: "sealKeyFile", text: path + KEY_FILE_END, from: "the key file" };
}

/** @throws UsageError for a setting that breaks a rule */
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

/** The name of the data in messages: the path of the file or the URL of the store. */
export function dataPlaceName(place: DataPlace): string {
  return place.kind === "file" ? place.path : place.address.url;
}

/** The flags that select it. @param resolvePath applied to the paths in them */
export function placeFlags(
  place: DataPlace,
  resolvePath = (relative: string) => relative,
): string[] {
  const source =
    place.kind === "file" ? ["--data", resolvePath(place.path)] : ["--store", place.address.url];
  const { name, text = "" } = place.sealKey ?? {};
  const isFound = place.kind === "file" && text === keyFileOf(place.path).text;
  return [
    ...source,
    ...(name === "sealKeyFile" && !isFound ? ["--seal-key-file", resolvePath(text)] : []),
  ];
}

/** The files with the data or with secrets, and the setting that names each. */
export function placeFiles(place: DataPlace): NamedFile[] {
  const data = place.kind === "file" ? [{ text: place.path, from: "--data" }] : [];
  const secrets =
    place.kind === "file" ? [place.sealKey] : [place.sealKey, place.password, place.tls.key];
  return [
    ...data,
    ...secrets.flatMap((secret) =>
      secret && SETTINGS[secret.name].kind === "file" ? [secret] : [],
    ),
  ];
}
