import { existsSync } from "node:fs";
import { looseMode } from "../../kit/files/owners.js";
import { findProxy } from "../../kit/net/environment-proxy.js";
import type { HttpProxy, ServerRoute } from "../../kit/net/proxy.js";
import { command } from "../../kit/text/shell.js";
import { DEFAULT_URL } from "../../model/defaults.js";
import { checkCredential } from "../../model/server-options.js";
import { fileRisk } from "../files/safe-files.js";
import {
  type Connection,
  connectionOf,
  type DataLocation,
  locationFiles,
  locationName,
} from "../settings/connection.js";
import { readSettings, type Settings } from "../settings/resolve-settings.js";
import { readTlsFiles } from "../settings/secret-files.js";
import type { ServerSettings } from "../settings/server-settings.js";
import {
  type GivenFlags,
  NotAllowedError,
  SETTINGS,
  type SettingList,
} from "../settings/setting-table.js";
import { profilesPath } from "../settings/settings-file.js";
import type { Caller, Surroundings } from "../surroundings.js";
import type { CheckedServer } from "./check-server.js";
import {
  type Finding,
  type Findings,
  notChecked,
  ok,
  problem,
  problemOf,
  skipped,
  warning,
} from "./finding.js";

export async function diagnose(flags: GivenFlags, asking: Caller): Promise<Findings> {
  const findings: Finding[] = [];
  const note = (text: string) =>
    void findings.push(warning(text, "correct this, unless you expect it"));
  const caller: Caller = { ...asking, note };
  const { settings, connection, access } = await checkSettings(flags, caller, findings);
  const local = connection?.kind === "data" ? connection.location : undefined;
  if (settings && findings.every(({ verdict }) => verdict !== "problem"))
    findings.push(ok(describeSource(settings, local, access?.server.proxy)));
  const file_modes = await checkModes(settings?.given ?? [], local, caller.surroundings);
  return { settings: findings, file_modes, ...(await checkSource(connection, access, caller)) };
}

async function checkSource(
  connection: Connection | undefined,
  access: CheckedServer | undefined,
  caller: Caller,
): Promise<Findings> {
  if (connection?.kind === "data")
    return (await import("./check-data.js")).diagnoseData(connection, caller);
  if (access) return (await import("./check-server.js")).checkServer(access, caller.surroundings);
  const untried = ["reachability", "tls", "clock", "credentials", "rate_limit"];
  return Object.fromEntries(untried.map((check) => [check, notChecked("settings")]));
}

/** Returns no settings if they are invalid, and no access without a server. */
async function checkSettings(flags: GivenFlags, caller: Caller, findings: Finding[]) {
  const attempt = async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      const isNew = error instanceof NotAllowedError;
      findings.push(problemOf(error, isNew ? "read the file, then run appvars allow" : undefined));
      return undefined;
    }
  };
  const valid = await attempt(() => {
    const settings = readSettings(flags, caller);
    return { settings, connection: connectionOf(settings) };
  });
  if (!valid) return {};
  const { settings, connection } = valid;
  const { given } = settings;
  const { blocked } = given.find((setting) => setting.blocked) ?? {};
  if (blocked) caller.note(blocked);
  await attempt(() => settings.secret("encKey"));
  if (connection.kind === "data") return { settings, connection };
  const secret = await attempt(() => settings.secret("apiSecret"));
  const server = await attempt(() => readRoute(connection, secret, caller.surroundings));
  return { settings, connection, access: server && { ...connection, given, secret, server } };
}

async function readRoute(
  { url, apiKey, timeout, tls }: ServerSettings,
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

async function checkModes(
  given: SettingList,
  local: DataLocation | undefined,
  surroundings: Surroundings,
): Promise<Finding[]> {
  const named = given.filter(({ name, blocked }) => SETTINGS[name].isPrivate && !blocked);
  const paths = [...(local ? locationFiles(local) : []), ...named].map(({ text }) => text);
  paths.push(profilesPath(surroundings));
  if (local?.kind !== "file") return checkFiles(paths, undefined, surroundings);
  // Loaded here: checking a server needs no code of a store.
  const { readContent } = await import("../../store/file/data-file.js");
  const content = await readContent(local.path).catch(() => undefined);
  return checkFiles(paths, local.path, surroundings, content?.sealed);
}

/** `server http://127.0.0.1:7400 (from --url), through the proxy of …`. */
function describeSource(
  settings: Settings,
  local: DataLocation | undefined,
  proxy: HttpProxy | undefined,
): string {
  const { text = DEFAULT_URL, from } = settings.find("url") ?? {};
  const kind = local ? { file: "data file", etcd: "store" }[local.kind] : "server";
  return `${kind} ${local ? locationName(local) : text} (${from ? `from ${from}` : "the default"})${proxy ? `, through ${proxy.name}` : ""}`;
}

/**
 * Checks whether others can read or change files with secrets.
 *
 * @param data the data file among them, which commands refuse if others can
 *   change it
 * @param isSealed whether everybody may read the data file
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
