import { existsSync } from "node:fs";
import { parseStoreUrl, type StoreAddress } from "../../etcd/store-address.js";
import { UsageError } from "../../kit/text/errors.js";
import { KEY_FILE_SUFFIX } from "../../model/seal-key.js";
import type { NamedFile } from "../files/named-file.js";
import type { Settings } from "./resolve-settings.js";
import type { SecretSetting, TlsFileSettings } from "./secret-files.js";
import { type ServerSettings, serverSettings, tlsFilesOf } from "./server-settings.js";
import { DEFAULT_DATA_FILE, SETTINGS, type Setting } from "./setting-table.js";

export interface DataSettings {
  kind: "data";
  place: DataPlace;
  env: string | undefined;
}

export type Connection = ServerSettings | DataSettings;

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

export interface EtcdPlace {
  kind: "etcd";
  address: StoreAddress;
  user: string | undefined;
  password: Setting | undefined;
  sealKey: SecretSetting | undefined;
  tls: TlsFileSettings;
}

/** The place of data that commands read, change or serve without a server. */
export type DataPlace = FilePlace | EtcdPlace;

/** The server, or the environment of local data, to read from. */
export function connectionOf(settings: Settings): Connection {
  const source = settings.find("url");
  return source && source.name !== "url"
    ? { kind: "data", place: dataPlaceOf(settings), env: settings.find("env")?.text }
    : serverSettings(settings, source);
}

/** The data to create, serve or change. */
export function dataPlaceOf(settings: Settings): DataPlace {
  const source = settings.find("data", "store");
  if (source?.name === "store") return etcdPlace(settings, source);
  return filePlace(settings, source?.text);
}

/**
 * The data file or store that an argument names.
 *
 * @throws UsageError that does not quote a URL, which may hold a password
 */
export function placeNamed(text: string, from: string, settings: Settings): DataPlace {
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  if (text === "" || (isUrl && !/^etcds?:/.test(text)))
    throw new UsageError(
      `${from} must be a data file or the URL of a store: etcd://… or etcds://…`,
    );
  return isUrl ? etcdPlace(settings, { text, from }) : filePlace(settings, text);
}

function filePlace(settings: Settings, named: string | undefined): FilePlace {
  const path = named ?? DEFAULT_DATA_FILE;
  const keyFile = existsSync(path + KEY_FILE_SUFFIX) ? keyFileOf(path) : undefined;
  const sealKey = settings.find("sealKey") ?? keyFile;
  return { kind: "file", path, isDefault: named === undefined, sealKey };
}

/** The key file that `seal` and `init` write. */
export function keyFileOf(path: string): SecretSetting {
  return { name: "sealKeyFile", text: path + KEY_FILE_SUFFIX, from: "the key file" };
}

function etcdPlace(settings: Settings, { text, from }: NamedFile): EtcdPlace {
  const address = parseStoreUrl(text, from);
  const [user, password] = settings.findBoth("storeUser", "storePassword");
  return {
    kind: "etcd",
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
  if (name !== "sealKeyFile" || text === dataPlaceName(place) + KEY_FILE_SUFFIX) return source;
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
