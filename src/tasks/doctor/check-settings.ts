import { existsSync } from "node:fs";
import { checkCredential } from "../../client/options.js";
import { looseMode } from "../../kit/files/owners.js";
import { findProxy } from "../../kit/net/environment-proxy.js";
import type { HttpProxy, ServerRoute } from "../../kit/net/proxy.js";
import { command } from "../../kit/text/shell.js";
import { DEFAULT_URL } from "../../model/defaults.js";
import { fileRisk } from "../files/safe-files.js";
import { type Connection, dataPlaceName, placeFiles } from "../settings/connection.js";
import type { RemoteSettings } from "../settings/remote-settings.js";
import { readSettings, type Settings } from "../settings/resolve-settings.js";
import { readTlsFiles } from "../settings/secret-files.js";
import {
  NotAllowedError,
  SETTINGS,
  type SOURCE_SETTINGS,
  type SourceFlags,
} from "../settings/setting-table.js";
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
  const found: Finding[] = [];
  const note = (text: string) =>
    void found.push(warning(text, "correct this, unless you expect it"));
  const caller: Caller = { ...asking, note };
  const { surroundings } = asking;
  const trying = async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      const fix =
        error instanceof NotAllowedError ? "read the file, then run appvars allow" : undefined;
      found.push(problemOf(error, fix));
      return undefined;
    }
  };
  const settings = await trying(() => readSettings(flags, caller).check());
  if (!settings)
    return {
      findings: { settings: found, file_modes: await checkModes(settings, surroundings) },
      caller,
    };
  const { connection, given } = settings;
  const { blocked } = given.find((setting) => setting.blocked) ?? {};
  if (blocked) note(blocked);
  await trying(() => settings.secret("encKey"));
  const remote = connection.kind === "remote" ? connection : undefined;
  const secret = remote && (await trying(() => settings.secret("apiSecret")));
  const server = remote && (await trying(() => readRoute(remote, secret, surroundings)));
  if (found.every(({ verdict }) => verdict !== "problem"))
    found.push(ok(describeSource(connection, settings, server?.proxy)));
  const access: ServerAccess | undefined = remote && server && { ...remote, given, secret, server };
  const file_modes = await checkModes(settings, surroundings);
  return { findings: { settings: found, file_modes }, connection, access, caller };
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
  settings: Settings | undefined,
  surroundings: Surroundings,
): Promise<Finding[]> {
  const place = settings?.connection.kind === "local" ? settings.connection.place : undefined;
  const data = place?.kind === "file" ? place.path : undefined;
  const named = (settings?.given ?? []).flatMap(({ name, text, blocked }) =>
    SETTINGS[name].isPrivate && !blocked ? [text] : [],
  );
  const paths = [
    ...(place ? placeFiles(place).map(({ text }) => text) : []),
    ...named,
    profilesPath(surroundings),
  ];
  if (data === undefined) return checkFiles(paths, data, surroundings);
  // Loaded here: checking a server needs no code of a store.
  const { readContent } = await import("../../store/file/data-file.js");
  const content = await readContent(data).catch(() => undefined);
  return checkFiles(paths, data, surroundings, content?.sealed);
}

/** `server http://127.0.0.1:7400 (from --url), through the proxy of HTTP_PROXY`. */
function describeSource(
  connection: Connection,
  settings: Settings,
  proxy: HttpProxy | undefined,
): string {
  const { name = "url", text = DEFAULT_URL, from } = settings.find("url") ?? {};
  const kind = { url: "server", data: "data file", store: "store" }[
    name as (typeof SOURCE_SETTINGS)[number]
  ];
  const place = connection.kind === "local" ? dataPlaceName(connection.place) : text;
  return `${kind} ${place} (${from ? `from ${from}` : "the default"})${proxy ? `, through ${proxy.name}` : ""}`;
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
  const found = files.flatMap((path) => {
    const [mode, risk] = [
      secret.includes(path) ? looseMode(path) : undefined,
      fileRisk(path, surroundings),
    ];
    const message = `${path} ${risk?.problem}`;
    const isRefused = path === data && risk?.isRefused;
    return [
      mode
        ? warning(`other users have access to ${path} (mode ${mode})`, command`chmod 600 ${path}`)
        : [],
      risk
        ? isRefused
          ? problem("invalid_data", message, risk.fix)
          : warning(message, risk.fix)
        : [],
    ].flat();
  });
  if (found.length > 0) return found;
  if (secret.length === 0) return [skipped("no file with a secret is in use")];
  if (surroundings.platform === "win32")
    return [skipped("modes say nothing on Windows: icacls FILE shows who has access to a file")];
  return [ok(`only you can read and write ${secret.join(", ")}`)];
}
