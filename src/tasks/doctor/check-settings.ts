import { existsSync } from "node:fs";
import { checkCredential } from "../../client/options.js";
import { looseMode } from "../../kit/files/owners.js";
import { findProxy } from "../../kit/net/environment-proxy.js";
import type { HttpProxy, ServerRoute } from "../../kit/net/proxy.js";
import { command } from "../../kit/text/shell.js";
import { DEFAULT_URL } from "../../model/defaults.js";
import { fileRisk } from "../files/safe-files.js";
import { dataPlaceName, placeFiles } from "../settings/connection.js";
import type { RemoteSettings } from "../settings/remote-settings.js";
import { readSettings, type Settings } from "../settings/resolve-settings.js";
import { readTlsFiles } from "../settings/secret-files.js";
import { NotAllowedError, SETTINGS, type SourceFlags } from "../settings/setting-table.js";
import { profilesPath } from "../settings/settings-file.js";
import type { Caller, Surroundings } from "../surroundings.js";
import { type Finding, ok, problem, problemOf, skipped, warning } from "./finding.js";

/** A server, and everything that requests to it need. */
export interface ServerAccess extends RemoteSettings {
  given: Settings["given"];
  /** `undefined` if there is no secret, or it can't be read. */
  secret: string | undefined;
  server: ServerRoute;
}

/**
 * Reads the settings and the files that they name, as far as possible. Findings are also about
 * settings that are ignored or that another user may have set.
 *
 * @returns a caller whose notes become findings; no connection if the settings are not valid; no
 *   access for local data, or if requests can't be sent
 */
export async function checkSettings(flags: SourceFlags, asking: Caller) {
  const findings: Finding[] = [];
  const note = (text: string) =>
    void findings.push(warning(text, "correct this, unless you expect it"));
  const caller: Caller = { ...asking, note };
  const { surroundings } = asking;
  const attempt = async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      const fix =
        error instanceof NotAllowedError ? "read the file, then run appvars allow" : undefined;
      findings.push(problemOf(error, fix));
      return undefined;
    }
  };
  const settings = await attempt(() => readSettings(flags, caller).check());
  const { connection, given = [] } = settings ?? {};
  const { blocked } = given.find((setting) => setting.blocked) ?? {};
  if (blocked) note(blocked);
  await attempt(() => settings?.secret("encKey"));
  const remote = connection?.kind === "remote" ? connection : undefined;
  const secret = await attempt(() => remote && settings?.secret("apiSecret"));
  const server = await attempt(() => remote && readRoute(remote, secret, surroundings));
  if (settings && findings.every(({ verdict }) => verdict !== "problem"))
    findings.push(ok(describeSource(settings, server?.proxy)));
  const access: ServerAccess | undefined = remote && server && { ...remote, given, secret, server };
  const file_modes = await checkModes(settings, surroundings);
  return { findings: { settings: findings, file_modes }, connection, access, caller };
}

async function readRoute(
  { url, apiKey, timeout, tls }: RemoteSettings,
  secret: string | undefined,
  { env }: Surroundings,
): Promise<ServerRoute> {
  checkCredential("API key", apiKey);
  checkCredential("API secret", secret);
  const origin = new URL(url);
  const proxy = findProxy(origin, env);
  // Seconds: a diagnosis should be quick.
  return { origin, timeout: Math.min(timeout, 5), proxy, ...(await readTlsFiles(tls)) };
}

/** Checks the files that the settings name, if these are valid, and the one with the profiles. */
async function checkModes(
  { connection, given = [] }: Partial<Settings> = {},
  surroundings: Surroundings,
): Promise<Finding[]> {
  const place = connection?.kind === "local" ? connection.place : undefined;
  const named = given.filter(({ name, blocked }) => SETTINGS[name].isPrivate && !blocked);
  const paths = [...(place ? placeFiles(place) : []), ...named].map(({ text }) => text);
  paths.push(profilesPath(surroundings));
  if (place?.kind !== "file") return checkFiles(paths, undefined, surroundings);
  // Loaded here: checking a server needs no code of a store.
  const { readContent } = await import("../../store/file/data-file.js");
  const content = await readContent(place.path).catch(() => undefined);
  return checkFiles(paths, place.path, surroundings, content?.sealed);
}

/** `server http://127.0.0.1:7400 (from --url), through the proxy of HTTP_PROXY`. */
function describeSource(settings: Settings, proxy: HttpProxy | undefined): string {
  const { connection } = settings;
  const { text = DEFAULT_URL, from } = settings.find("url") ?? {};
  let source = `server ${text}`;
  if (connection.kind === "local") {
    const { place } = connection;
    source = `${place.kind === "file" ? "data file" : "store"} ${dataPlaceName(place)}`;
  }
  return `${source} (${from ? `from ${from}` : "the default"})${proxy ? `, through ${proxy.name}` : ""}`;
}

/**
 * Checks whether others can read or change files with secrets. Missing files are omitted.
 *
 * @param data the data file among them, which commands refuse if others can change it
 * @param isSealed whether the data file is sealed, so that everybody may read it
 */
export function checkFiles(
  paths: readonly string[],
  data: string | undefined,
  surroundings: Surroundings,
  isSealed = false,
): Finding[] {
  const files = [...new Set(paths)].filter(existsSync);
  const secret = files.filter((path) => !isSealed || path !== data);
  const findings: Finding[] = [];
  for (const path of files) {
    const mode = secret.includes(path) && looseMode(path);
    const risk = fileRisk(path, surroundings);
    const message = `${path} ${risk?.problem}`;
    if (mode)
      findings.push(
        warning(`other users have access to ${path} (mode ${mode})`, command`chmod 600 ${path}`),
      );
    if (risk?.isRefused && path === data) findings.push(problem("invalid_data", message, risk.fix));
    else if (risk) findings.push(warning(message, risk.fix));
  }
  if (findings.length > 0) return findings;
  if (secret.length === 0) return [skipped("no file with a secret is in use")];
  if (surroundings.platform === "win32")
    return [skipped("modes say nothing on Windows: icacls FILE shows who has access to a file")];
  return [ok(`only you can read and write ${secret.join(", ")}`)];
}
