import { checkCredential } from "../../client/options.js";
import { DEFAULT_URL } from "../../domain/defaults.js";
import type { TlsTexts } from "../../domain/tls-options.js";
import type { HttpProxy } from "../../http/proxy.js";
import { withNotice } from "../output/context.js";
import type { Io } from "../output/io.js";
import { isNothingConfigured, UNUSED_DATA_FLAGS } from "../reading/open-source.js";
import { type Connection, dataPlaceName, placeFiles, type RemoteSettings } from "../settings/connection.js";
import { findProxy } from "../settings/environment-proxy.js";
import { readSettings, Settings } from "../settings/resolve-settings.js";
import { readTlsFiles } from "../settings/secret-files.js";
import { NotAllowedError, type Setting, SOURCE_SETTINGS, type SourceFlags } from "../settings/setting-table.js";
import { type Finding, ok, problemOf, warning } from "./finding.js";

/** A server, and everything that requests to it need. */
export interface ServerAccess extends RemoteSettings {
  /** Undefined if there is none, or it can't be read. */
  secret: string | undefined;
  tls: TlsTexts;
  proxy: HttpProxy | undefined;
  /** The flags that open the data file in the current folder, if nothing is configured. */
  unusedDataFlags: string | undefined;
}

interface CheckedSettings {
  /** One for each error and for each setting that is ignored or that another user may have set. */
  findings: Finding[];
  /** Undefined if they are not valid. */
  connection: Connection | undefined;
  /** Undefined for local data, or if a file can't be read or the proxy can't be used. */
  access: ServerAccess | undefined;
  /** The files with secrets that are in use. */
  secretFiles: string[];
}

/** Reads the settings and the files that they name, as far as possible. */
export async function checkSettings(flags: SourceFlags, surroundings: Io): Promise<CheckedSettings> {
  const findings: Finding[] = [];
  const warn = (notice: string) => void findings.push(warning(notice, "correct this, unless you expect it"));
  const io = withNotice(surroundings, warn);
  const errors: Finding[] = [];
  const trying = async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      const isBlocked = error instanceof NotAllowedError;
      errors.push(problemOf(error, isBlocked ? "read the file, then run appvars allow" : "correct this setting"));
      return undefined;
    }
  };
  const settings = (await trying(() => readSettings(flags, io))) ?? new Settings([], io);
  const connection = errors.length === 0 ? await trying(() => settings.connection) : undefined;
  const blocked = settings.given.find((setting) => setting.blocked)?.blocked;
  if (blocked && connection) warn(blocked);
  const key = connection && (await trying(() => settings.find("encKey", "encKeyFile")));
  if (key) await trying(() => settings.encryptionKey());
  const access = connection?.kind === "remote" ? await readAccess(connection, settings, io, trying) : undefined;
  if (errors.length === 0 && connection) findings.push(ok(describeSource(connection, settings, access?.proxy)));
  const secretFiles = connection ? secretFilesOf(connection, key) : [];
  return { findings: [...findings, ...errors], connection, access, secretFiles };
}

type Try = <T>(work: () => T | Promise<T>) => Promise<T | undefined>;

async function readAccess(
  remote: RemoteSettings,
  settings: Settings,
  { env }: Pick<Io, "env">,
  trying: Try,
): Promise<ServerAccess | undefined> {
  await trying(() => checkCredential("API key", remote.apiKey));
  const route = await trying(async () => ({ proxy: findProxy(new URL(remote.url), env) }));
  const secret = await trying(async () => {
    const text = await settings.apiSecret();
    checkCredential("API secret", text);
    return text;
  });
  const tls = route && (await trying(() => readTlsFiles(remote)));
  const unusedDataFlags = isNothingConfigured(settings.given) ? UNUSED_DATA_FLAGS : undefined;
  return tls && { ...remote, ...route, tls, secret, unusedDataFlags };
}

function secretFilesOf(connection: Connection, key: Setting | undefined): string[] {
  const isStore = connection.kind === "local" && connection.place.kind === "store";
  const ofSource = connection.kind === "remote" ? [connection.clientKey] : isStore ? placeFiles(connection.place) : [];
  const secrets = [connection.kind === "remote" ? connection.apiSecret : undefined, key];
  const named = secrets.filter((setting) => setting?.name.endsWith("File") && setting.text !== "-");
  return [...named, ...ofSource].flatMap((setting) => setting?.text ?? []);
}

/** `server http://127.0.0.1:7400 (from --url), through the proxy of HTTP_PROXY`. */
function describeSource(connection: Connection, settings: Settings, proxy: HttpProxy | undefined): string {
  const setting = settings.find(...SOURCE_SETTINGS);
  const kinds = { url: "server", data: "data file", store: "store" };
  const name = connection.kind === "local" ? dataPlaceName(connection.place) : (setting?.text ?? DEFAULT_URL);
  const route = proxy ? `, through ${proxy.name}` : "";
  return `${kinds[(setting?.name ?? "url") as keyof typeof kinds]} ${name} (${setting ? `from ${setting.from}` : "the default"})${route}`;
}
