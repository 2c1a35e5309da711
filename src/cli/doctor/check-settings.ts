import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { checkCredential } from "../../client/options.js";
import { DEFAULT_URL } from "../../domain/defaults.js";
import { command } from "../../domain/shell.js";
import type { TlsTexts } from "../../domain/tls-options.js";
import { looseMode } from "../../files/owners.js";
import type { HttpProxy } from "../../http/proxy.js";
import { type FileUser, fileRisk } from "../editing/safe-files.js";
import type { Io } from "../output/io.js";
import { isNothingConfigured, UNUSED_DATA_FLAGS } from "../reading/open-source.js";
import { type Connection, dataPlaceName, placeFiles, type RemoteSettings } from "../settings/connection.js";
import { findProxy } from "../settings/environment-proxy.js";
import { readSettings, Settings } from "../settings/resolve-settings.js";
import { readTlsFiles } from "../settings/secret-files.js";
import { NotAllowedError, SOURCE_SETTINGS, type SourceFlags } from "../settings/setting-table.js";
import { profilesPath } from "../settings/settings-file.js";
import { collectNotices, type Finding, ok, problem, problemOf, skipped, warning } from "./finding.js";

/** A server, and everything that requests to it need. */
export interface ServerAccess extends RemoteSettings {
  /** Undefined if there is none, or it can't be read. */
  secret: string | undefined;
  tls: TlsTexts;
  proxy: HttpProxy | undefined;
  /** The flags that open the data file in the current folder, if nothing is configured. */
  unusedDataFlags: string | undefined;
}

/** Calls a function that can fail; undefined if it does. */
type Try = <T>(work: () => T | Promise<T>) => Promise<T | undefined>;

/**
 * Reads the settings and the files that they name, as far as possible. Findings are also about settings that are
 * ignored or that another user may have set.
 *
 * @returns no connection if they are not valid, and no access for local data or if requests can't be sent
 */
export async function checkSettings(flags: SourceFlags, surroundings: Io) {
  const findings: Finding[] = [];
  const errors: Finding[] = [];
  const io = collectNotices(surroundings, findings);
  const trying: Try = async (work) => {
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
  if (blocked && connection) io.notice?.(blocked);
  if (connection) await trying(() => settings.encryptionKey());
  const access = connection?.kind === "remote" ? await readAccess(connection, settings, io, trying) : undefined;
  if (errors.length === 0 && connection) findings.push(ok(describeSource(connection, settings, access?.proxy)));
  const secretFiles = connection ? secretFilesOf(connection, settings) : [];
  const data = connection?.kind === "local" && connection.place.kind === "file" ? connection.place.path : undefined;
  const file_modes = checkFiles(secretFiles, data, profilesPath(io), io);
  return { findings: { settings: [...findings, ...errors], file_modes }, connection, access };
}

async function readAccess(
  remote: RemoteSettings,
  settings: Settings,
  { env }: Pick<Io, "env">,
  trying: Try,
): Promise<ServerAccess | undefined> {
  await trying(() => checkCredential("API key", remote.apiKey));
  const route = await trying(() => ({ proxy: findProxy(new URL(remote.url), env) }));
  const secret = await trying(async () => {
    const text = await settings.apiSecret();
    checkCredential("API secret", text);
    return text;
  });
  const tls = route && (await trying(() => readTlsFiles(remote)));
  const unusedDataFlags = isNothingConfigured(settings.given) ? UNUSED_DATA_FLAGS : undefined;
  return tls && { ...remote, ...route, tls, secret, unusedDataFlags };
}

function secretFilesOf(connection: Connection, { given }: Settings): string[] {
  const secrets = [
    connection.kind === "remote" ? connection.apiSecret : undefined,
    given.find(({ name }) => name.startsWith("encKey")),
  ];
  const named = secrets.filter((setting) => setting?.name.endsWith("File") && setting.text !== "-");
  const isStore = connection.kind === "local" && connection.place.kind === "store";
  const ofSource = connection.kind === "remote" ? [connection.clientKey] : isStore ? placeFiles(connection.place) : [];
  return [...named, ...ofSource].flatMap((setting) => setting?.text ?? []);
}

/** `server http://127.0.0.1:7400 (from --url), through the proxy of HTTP_PROXY`. */
function describeSource(connection: Connection, settings: Settings, proxy: HttpProxy | undefined): string {
  const { name = "url", text = DEFAULT_URL, from } = settings.find(...SOURCE_SETTINGS) ?? {};
  const kind = { url: "server", data: "data file", store: "store" }[name as (typeof SOURCE_SETTINGS)[number]];
  const place = connection.kind === "local" ? dataPlaceName(connection.place) : text;
  return `${kind} ${place} (${from ? `from ${from}` : "the default"})${proxy ? `, through ${proxy.name}` : ""}`;
}

/**
 * Whether others can read or change files with secrets. Those that do not exist are omitted.
 *
 * @param data path of the data file: `serve` and the commands that change it refuse a file that others can change
 * @param profiles path of the file of profiles, whose folder is checked too
 */
export function checkFiles(
  secrets: readonly string[],
  data: string | undefined,
  profiles: string,
  io: FileUser & Pick<Io, "platform">,
): Finding[] {
  const files = [...new Set([data ?? [], ...secrets, profiles].flat())].filter(existsSync);
  const folder = files.includes(profiles) ? checkMode(dirname(profiles), "700") : [];
  const modes = [...files.flatMap((path) => checkMode(path, "600")), ...folder];
  const risks = files.flatMap((path) => {
    const risk = fileRisk(path, io);
    if (!risk) return [];
    const message = `${path} ${risk.problem}`;
    return path === data && risk.isRefused ? problem("invalid_data", message, risk.fix) : warning(message, risk.fix);
  });
  if (modes.length + risks.length > 0) return [...modes, ...risks];
  if (files.length === 0) return [skipped("no file with a secret is in use")];
  if (io.platform === "win32")
    return [skipped("modes say nothing on Windows: icacls FILE shows who has access to a file")];
  return [ok(`only you can read and write ${files.join(", ")}`)];
}

function checkMode(path: string, right: string): Finding[] {
  const mode = looseMode(path);
  if (mode === undefined) return [];
  return [warning(`other users have access to ${path} (mode ${mode})`, command`chmod ${right} ${path}`)];
}
