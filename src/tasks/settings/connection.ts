import { existsSync } from "node:fs";
import { UsageError } from "../../kit/text/errors.js";
import { KEY_FILE_SUFFIX } from "../../model/seal-key.js";
import { parseStoreUrl, type StoreAddress } from "../../model/store-address.js";
import type { NamedFile } from "../files/named-file.js";
import type { Settings } from "./resolve-settings.js";
import type { SecretSetting, TlsFileSettings } from "./secret-files.js";
import { type ServerSettings, serverSettings, tlsFilesOf } from "./server-settings.js";
import { DEFAULT_DATA_FILE, SETTINGS, type Setting } from "./setting-table.js";

export interface DataSettings {
  kind: "data";
  location: DataLocation;
  env: string | undefined;
}

export type Connection = ServerSettings | DataSettings;

export interface FileLocation {
  kind: "file";
  path: string;
  /** Whether no setting names it. */
  isDefault?: boolean;
  /** Its sealing keys, from the settings or the key file beside it. */
  sealKey?: SecretSetting | undefined;
  /** Whether it may be plain: the keys may be for a copy. */
  mayBePlain?: true;
}

export interface EtcdLocation {
  kind: "etcd";
  address: StoreAddress;
  user: string | undefined;
  password: Setting | undefined;
  sealKey: SecretSetting | undefined;
  tls: TlsFileSettings;
}

/** Where the data is that commands read, change or serve without a server. */
export type DataLocation = FileLocation | EtcdLocation;

/** The server, or the environment of local data, to read from. */
export function connectionOf(settings: Settings): Connection {
  const source = settings.find("url");
  return source && source.name !== "url"
    ? { kind: "data", location: dataLocationOf(settings), env: settings.find("env")?.text }
    : serverSettings(settings, source);
}

/** The data to create, serve or change. */
export function dataLocationOf(settings: Settings): DataLocation {
  const source = settings.find("data", "store");
  if (source?.name === "store") return etcdLocation(settings, source);
  return fileLocation(settings, source?.text);
}

/**
 * The data file or store that an argument names.
 *
 * @throws UsageError that does not quote a URL, which may hold a password
 */
export function parseDataLocation(text: string, from: string, settings: Settings): DataLocation {
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  if (text === "" || (isUrl && !/^etcds?:/.test(text)))
    throw new UsageError(
      `${from} must be a data file or the URL of a store: etcd://… or etcds://…`,
    );
  return isUrl ? etcdLocation(settings, { text, from }) : fileLocation(settings, text);
}

function fileLocation(settings: Settings, named: string | undefined): FileLocation {
  const path = named ?? DEFAULT_DATA_FILE;
  const keyFile = existsSync(path + KEY_FILE_SUFFIX) ? keyFileOf(path) : undefined;
  const sealKey = settings.find("sealKey") ?? keyFile;
  return { kind: "file", path, isDefault: named === undefined, sealKey };
}

/** The key file that `seal` and `init` write. */
export function keyFileOf(path: string): SecretSetting {
  return { name: "sealKeyFile", text: path + KEY_FILE_SUFFIX, from: "the key file" };
}

function etcdLocation(settings: Settings, { text, from }: NamedFile): EtcdLocation {
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
export function locationName(location: DataLocation): string {
  return location.kind === "file" ? location.path : location.address.url;
}

/** The flags that select the data. */
export function locationFlags(
  location: DataLocation,
  resolvePath = (path: string) => path,
): string[] {
  const source =
    location.kind === "file"
      ? ["--data", resolvePath(location.path)]
      : ["--store", location.address.url];
  const { name, text = "" } = location.sealKey ?? {};
  // The key file beside a data file needs no flag.
  if (name !== "sealKeyFile" || text === locationName(location) + KEY_FILE_SUFFIX) return source;
  return [...source, "--seal-key-file", resolvePath(text)];
}

/** The files with the data or with secrets, and the setting that names each. */
export function locationFiles(location: DataLocation): NamedFile[] {
  const isFile = location.kind === "file";
  const files: NamedFile[] = isFile ? [{ text: location.path, from: "--data" }] : [];
  const secrets = isFile ? [] : [location.password, location.tls.key];
  for (const secret of [location.sealKey, ...secrets])
    if (secret && SETTINGS[secret.name].kind === "file") files.push(secret);
  return files;
}
