import { existsSync } from "node:fs";
import {
  AUTH_SCHEMES,
  type AuthScheme,
  checkSeconds,
  parseOrigin,
  refuseOpenSecret,
} from "../../client/options.js";
import { parseStoreUrl, type StoreAddress } from "../../etcd/store-address.js";
import { secondsOf } from "../../kit/text/duration.js";
import { UsageError, withSubject } from "../../kit/text/errors.js";
import { DEFAULT_TIMEOUT, DEFAULT_URL } from "../../model/defaults.js";
import { KEY_FILE_END } from "../../model/sealed-text.js";
import type { NamedFile } from "../named-file.js";
import {
  DEFAULT_DATA_FILE,
  type FindableSettings,
  type GivenSettings,
  SETTINGS,
  type Setting,
  type SettingName,
  SOURCE_SETTINGS,
} from "./setting-table.js";

export interface RemoteSettings extends ClientTlsFiles {
  kind: "remote";
  url: string;
  /** The flag, variable or file with the URL. */
  from: string;
  apiKey: string | undefined;
  /** The secret, or the file that holds it. */
  apiSecret: Setting | undefined;
  auth: AuthScheme;
  /** Whether the secret itself may be sent without encryption. */
  insecure: boolean;
  /** Seconds. */
  timeout: number;
  /** Seconds; undefined for the defaults of the client. */
  maxWait: number | undefined;
}

export interface LocalSettings {
  kind: "local";
  place: DataPlace;
  env: string | undefined;
}

export type Connection = RemoteSettings | LocalSettings;

/**
 * The connection that the settings and the defaults describe.
 *
 * @throws UsageError that names the flag, variable or file of a setting that breaks a rule
 */
export function connectionOf(settings: FindableSettings): Connection {
  const { given } = settings;
  const source = settings.find(...SOURCE_SETTINGS);
  if (source && source.name !== "url")
    return { kind: "local", place: dataPlaceOf(settings, source), env: settings.find("env")?.text };
  if (given.some(({ name, place }) => name === "env" && place === "flag")) {
    const flags = existsSync(DEFAULT_DATA_FILE)
      ? `--data ${DEFAULT_DATA_FILE}`
      : "--data or --store";
    throw new UsageError(`--env names an environment of a data file or a store: add ${flags}`);
  }
  const files = tlsFilesOf(settings, "caFile", "clientCert", "clientKey");
  const apiSecret = settings.find("apiSecret", "apiSecretFile");
  const auth = parseAuth(settings.find("auth"));
  if (given.some(({ place }) => place === "project"))
    checkProject(given, source, { auth, apiSecret, ...files });
  const url = source ? parseUrl(source) : DEFAULT_URL;
  const allowed = settings.find("insecure");
  // That of a profile applies to the server of that profile only.
  const insecure =
    allowed !== undefined &&
    (allowed.place === "flag" || !source || source.place === allowed.place);
  refuseOpenSecret(auth, new URL(url), insecure);
  const [timeout, maxWait] = [settings.find("timeout"), settings.find("maxWait")];
  return {
    kind: "remote",
    url,
    from: source?.from ?? "the default",
    apiKey: settings.find("apiKey")?.text,
    apiSecret,
    auth,
    insecure,
    timeout: timeout ? parseSeconds(timeout, 0.001) : DEFAULT_TIMEOUT,
    maxWait: maxWait && parseSeconds(maxWait, 0),
    ...files,
  };
}

/**
 * Another person may have written the project's file. It must not make the client send a secret to
 * its server, identify itself to it with a profile's secret, since such requests could be replayed
 * at your server, or use its certificates for another server.
 *
 * @throws UsageError
 */
function checkProject(
  given: GivenSettings,
  source: Setting | undefined,
  {
    auth,
    apiSecret,
    caFile,
    clientCert,
    clientKey,
  }: Pick<RemoteSettings, "auth" | "apiSecret"> & ClientTlsFiles,
): void {
  if (source?.place !== "project") {
    const file = [caFile, clientCert, clientKey].find((each) => each?.place === "project");
    if (!file) return;
    const { flag } = SETTINGS[file.name];
    throw new UsageError(
      `${file.from} is for a url of the same file only; to use it here too, add ${flag}`,
    );
  }
  if (auth === "headers") {
    throw new UsageError(
      `auth headers would send the secret itself to ${source.from}; to do so, add --url`,
    );
  }
  const secret = [apiSecret, clientKey].find((setting) => setting?.place === "profile");
  if (!secret) return;
  const own =
    given.find(({ name, place }) => name === "url" && place === "profile")?.text ?? DEFAULT_URL;
  if (parseUrl(source) === parseOrigin(own).origin) return;
  throw new UsageError(
    `the ${secret.name === "clientKey" ? "client key" : "secret"} is of a profile for ${own}, but ${source.from} is another server; to use it there, add --url`,
  );
}

function parseUrl({ text, from }: Setting): string {
  return withSubject(from, () => parseOrigin(text).origin);
}

function parseAuth(setting: Setting | undefined): AuthScheme {
  if (setting === undefined) return "hmac";
  const scheme = AUTH_SCHEMES.find((name) => name === setting.text);
  if (!scheme) throw new UsageError(`${setting.from} must be one of ${AUTH_SCHEMES.join(", ")}`);
  return scheme;
}

/** @throws UsageError unless it is `min` seconds or more */
function parseSeconds({ text, from }: Pick<Setting, "text" | "from">, min: number): number {
  const seconds = secondsOf(text);
  checkSeconds(from, seconds, min);
  return seconds;
}

/** A secret, or the file that holds it. */
export type SecretSetting = Pick<Setting, "name"> & NamedFile;

export interface FilePlace {
  kind: "file";
  path: string;
  /** Whether nothing names it. */
  isDefault?: boolean;
  /** The keys that it is sealed with: those of the settings, or of the key file beside it. */
  sealKey?: SecretSetting | undefined;
  /** Whether it may be plain although there are keys, which may be for a copy. */
  mayBePlain?: true;
}

export interface StorePlace extends ClientTlsFiles {
  kind: "store";
  address: StoreAddress;
  user: string | undefined;
  password: Setting | undefined;
  /** The keys that its records are sealed with. */
  sealKey: SecretSetting | undefined;
}

/** Where the data is that commands read, change and serve without a server in between. */
export type DataPlace = FilePlace | StorePlace;

/**
 * The files that a client uses for TLS: certificates to trust; a certificate of its own and its
 * key, both or none.
 */
export interface ClientTlsFiles {
  caFile: Setting | undefined;
  clientCert: Setting | undefined;
  clientKey: Setting | undefined;
}

/**
 * @param source the setting that names it; undefined for the default
 * @throws UsageError for a setting that breaks a rule
 */
export function dataPlaceOf(
  settings: FindableSettings,
  source: Pick<Setting, "name" | "text" | "from"> | undefined,
): DataPlace {
  if (source?.name === "store") return storePlaceOf(settings, source);
  const path = source?.text ?? DEFAULT_DATA_FILE;
  const beside = keyFileOf(path);
  const sealKey = sealKeyOf(settings) ?? (existsSync(beside.text) ? beside : undefined);
  return { kind: "file", path, ...(!source && { isDefault: true }), sealKey };
}

/**
 * The place that an argument names.
 *
 * @throws UsageError that does not quote a URL, which may hold a password
 */
export function placeNamed(settings: FindableSettings, text: string, from: string): DataPlace {
  const [, scheme] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(text) ?? [];
  if (text === "" || (scheme !== undefined && !/^etcds?$/.test(scheme)))
    throw new UsageError(
      `${from} must be a data file or the URL of a store: etcd://… or etcds://…`,
    );
  return dataPlaceOf(settings, { name: scheme === undefined ? "data" : "store", text, from });
}

/** The key file that `seal` and `init` write. */
export function keyFileOf(path: string): SecretSetting {
  return { name: "sealKeyFile", text: path + KEY_FILE_END, from: "the key file" };
}

function sealKeyOf(settings: FindableSettings): SecretSetting | undefined {
  const setting = settings.find("sealKey", "sealKeyFile");
  if (setting?.name === "sealKeyFile") refuseStdin(setting);
  return setting;
}

function refuseStdin({ text, from }: Setting): void {
  if (text === "-") throw new UsageError(`${from} must be a file, not stdin`);
}

function storePlaceOf(
  settings: FindableSettings,
  { text, from }: Pick<Setting, "text" | "from">,
): StorePlace {
  const address = parseStoreUrl(text, from);
  const [user, password] = findBoth(
    settings,
    ["storeUser"],
    ["storePassword", "storePasswordFile"],
  );
  const files = tlsFilesOf(settings, "storeCaFile", "storeClientCert", "storeClientKey");
  if (password?.name === "storePasswordFile") refuseStdin(password);
  return {
    kind: "store",
    address,
    user: user?.text,
    password,
    sealKey: sealKeyOf(settings),
    ...files,
  };
}

function tlsFilesOf(
  settings: FindableSettings,
  ca: SettingName,
  cert: SettingName,
  key: SettingName,
): ClientTlsFiles {
  const [clientCert, clientKey] = findBoth(settings, [cert], [key]);
  return { caFile: settings.find(ca), clientCert, clientKey };
}

/**
 * Two settings that need each other, from the names of each.
 *
 * @throws UsageError if only one of them is given
 */
function findBoth(settings: FindableSettings, names: SettingName[], otherNames: SettingName[]) {
  const [one, other] = [settings.find(...names), settings.find(...otherNames)];
  if (!one !== !other) {
    const missing = (one ? otherNames : names).map(
      (name) => SETTINGS[name].flag ?? SETTINGS[name].variable,
    );
    throw new UsageError(`${(one ?? other)?.from} needs ${missing.join(" or ")} too`);
  }
  return [one, other] as const;
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
export function placeFiles(place: DataPlace): Pick<Setting, "text" | "from">[] {
  const data = place.kind === "file" ? [{ text: place.path, from: "--data" }] : [];
  const secrets =
    place.kind === "file" ? [place.sealKey] : [place.sealKey, place.password, place.clientKey];
  return [
    ...data,
    ...secrets.flatMap((secret) => (secret && SETTINGS[secret.name].is === "file" ? [secret] : [])),
  ];
}
