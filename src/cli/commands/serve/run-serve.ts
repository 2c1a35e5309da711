import { AppendFile } from "../../../kit/files/append-file.js";
import { looseMode } from "../../../kit/files/owners.js";
import { hasCode } from "../../../kit/files/system-errors.js";
import { type Endpoint, hostOf, isLoopback } from "../../../kit/net/endpoint.js";
import { UsageError } from "../../../kit/text/errors.js";
import { assignmentLines, command } from "../../../kit/text/shell.js";
import { type Audit, AuditLog } from "../../../server/api/audit.js";
import type { ServerOptions } from "../../../server/start-server.js";
import type { Reloadable, Store } from "../../../store/store.js";
import { allowsUnsafeFiles, checkFileRisk, isSameFile } from "../../../tasks/files/safe-files.js";
import {
  type DataLocation,
  locationFiles,
  locationFlags,
} from "../../../tasks/settings/connection.js";
import type { Surroundings } from "../../../tasks/surroundings.js";
import { colorsFor } from "../../output/colors.js";
import type { Context } from "../../output/context.js";
import { printLines } from "../../output/output.js";
import {
  createLog,
  type Log,
  type LogFormat,
  logKeyWarnings,
  logReloads,
  serverLogHooks,
} from "./serve-log.js";
import type { TlsPaths } from "./tls-files.js";

/** The flags of `serve` besides the options of its server. */
export interface ServeFlags {
  location: DataLocation;
  logFormat: LogFormat;
  tlsPaths: TlsPaths | undefined;
  auditLog?: string | undefined;
  metrics?: Endpoint | undefined;
}

/** Serves until the process is asked to stop and all open requests are answered. */
export async function runServe(
  options: ServerOptions,
  serveFlags: ServeFlags,
  context: Context,
): Promise<void> {
  const { io, surroundings, flags } = context;
  const phase = { isStarting: true, reload: () => {} };
  const stopped = io.untilStopped(phase);
  const colors = await colorsFor(io.stderr, surroundings.env, flags.color);
  const { log, written } = createLog(io.stderr, serveFlags.logFormat, surroundings.clock, colors);
  /** Called at the end, the last first. */
  const closers: Closer[] = [written];
  try {
    const parts = await startParts(options, serveFlags, context, log, closers);
    const { data, store, tlsFiles, server } = parts;
    phase.isStarting = false;
    await tlsFiles?.follow(server.renewTls);
    closers.push(() => tlsFiles?.close());
    warnOfRisks(serveFlags, server.url, log);
    logReloads(store, data.name, log);
    phase.reload = () => reload(parts, serveFlags.auditLog, log);
    if (options.fd !== undefined)
      log("info", "listening on the socket of the service manager, not on --host and --port");
    log("info", `serving ${data.name} on ${server.url}`);
    printUrl(server.url, context);
    await stopped;
    log("info", "stopping after answering open requests");
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

type Closer = () => unknown;

/**
 * Opens the data, the files and the server, each of which adds how it is
 * closed.
 */
async function startParts(
  options: ServerOptions,
  serveFlags: ServeFlags,
  context: Context,
  log: Log,
  closers: Closer[],
) {
  const { surroundings, flags } = context;
  const { clock, ticks, folders } = surroundings;
  const { location, tlsPaths } = serveFlags;
  const { openDataAccess } = await import("../../../tasks/data/open-data.js");
  const { Service } = await import("../../../service/service.js");
  const { startServer } = await import("../../../server/start-server.js");
  const data = await openDataAccess(location, context);
  const store = await data.serve({ cacheFolder: folders.cache, log });
  closers.push(() => store.close(), logKeyWarnings(store, locationFlags(location), clock, log));
  const tlsFiles =
    tlsPaths && new (await import("./tls-files.js")).TlsFiles(tlsPaths, surroundings, log);
  const tls = await tlsFiles?.open();
  const audit = await openAudit(serveFlags, surroundings, log);
  closers.push(() => audit?.close());
  const metrics =
    serveFlags.metrics && (await serveMetrics(serveFlags.metrics, store, audit, surroundings, log));
  // Closed after the server, whose last requests are counted too.
  closers.push(() => metrics?.close());
  const hooks = { ...serverLogHooks(log, flags), audit, metrics: metrics?.metrics };
  const service = new Service(store, clock, ticks);
  const starting = startServer(service, { ...options, ...hooks, tls }, clock, ticks);
  const server = await starting.catch((error) =>
    throwListenError(error, options, "--host", "--port"),
  );
  closers.push(() => server.close());
  return { data, store, tlsFiles, audit, server };
}

type Parts = Awaited<ReturnType<typeof startParts>>;

function reload({ data, store, tlsFiles, audit }: Parts, auditLog: string | undefined, log: Log) {
  const reopened = auditLog === undefined ? "" : ` and reopening ${auditLog}`;
  log("info", `SIGHUP: reloading ${data.name}${reopened}`);
  store.reload();
  tlsFiles?.reload();
  try {
    audit?.reopen();
  } catch (error) {
    log("error", `${(error as Error).message}; the file that was open before is used`);
  }
}

function printUrl(url: string, context: Context): void {
  const { io, surroundings } = context;
  // Other commands exit when nobody reads their output. A server keeps
  // running.
  io.stdout.removeAllListeners("error").on("error", () => {});
  const lines = assignmentLines({ APPVARS_URL: url }, surroundings);
  printLines(context, { json: { url }, lines });
}

/**
 * @throws UsageError for another file of the server; InvalidDataError if other
 *   users can change the file, or it can't be appended to
 */
async function openAudit(
  { auditLog: path, location, tlsPaths }: ServeFlags,
  surroundings: Surroundings,
  log: Log,
): Promise<AuditLog | undefined> {
  if (path === undefined) return undefined;
  const others = [
    ...locationFiles(location),
    { from: "--tls-cert", text: tlsPaths?.cert },
    { from: "--tls-key", text: tlsPaths?.key },
    { from: "--tls-client-ca", text: tlsPaths?.clientCa },
  ];
  for (const { from, text } of others)
    if (text !== undefined && (await isSameFile(path, text)))
      throw new UsageError(
        `--audit-log ${path} is the file of ${from}, which its lines would destroy`,
      );
  const warning = checkFileRisk(path, surroundings);
  if (warning) log("warn", warning);
  const mode = looseMode(path);
  if (mode !== undefined)
    log("warn", `others may read ${path} (mode ${mode}); run: ${command`chmod 600 ${path}`}`);
  const { groups, clock } = surroundings;
  const user = allowsUnsafeFiles(surroundings) ? undefined : surroundings.user;
  const file = new AppendFile(path, { user, groups });
  file.open();
  return new AuditLog(file, {
    clock,
    onFailed: (reason) => log("error", `${reason}; reads are answered 503`),
    onRecovered: (lost) =>
      log("info", `${path} can be written again; requests missing in it: ${lost}`),
  });
}

function warnOfRisks({ tlsPaths, metrics }: ServeFlags, url: string, log: Log): void {
  const host = url && hostOf(new URL(url));
  const risk = "other machines may reach the server, and without TLS the traffic can be read";
  if (host && !isLoopback(host) && !tlsPaths) log("warn", `--host ${host}: ${risk}`);
  if (metrics && !isLoopback(metrics.host))
    log("warn", `--metrics ${metrics.host}: other machines may read the metrics`);
}

async function serveMetrics(
  endpoint: Endpoint,
  store: Store & Reloadable,
  audit: Audit | undefined,
  { clock, ticks }: Surroundings,
  log: Log,
) {
  const { startMetricsServer } = await import("../../../server/metrics/metrics-server.js");
  const registries = await import("../../../server/metrics/registry.js");
  const registry = registries.createRegistry();
  registries.addDataMetrics(registry, store, clock, ticks);
  const metrics = new registries.ServerMetrics(registry, () => audit?.isFailing === true);
  const onError = (error: unknown) =>
    log("error", `the metrics can't be collected: ${(error as Error).message}`);
  const starting = startMetricsServer(endpoint, registry, onError);
  const server = await starting.catch((error) =>
    throwListenError(error, endpoint, "--metrics", "--metrics"),
  );
  log("info", `metrics on ${server.url}`);
  return { ...server, metrics };
}

/** Throws the reason why a server can't listen, with advice. */
function throwListenError(
  error: unknown,
  { host, port, fd }: Pick<ServerOptions, "host" | "port" | "fd">,
  hostFlag: string,
  portFlag: string,
): never {
  if (fd !== undefined && hasCode(error, "EINVAL", "ENOTSOCK", "ENOTSUP", "EOPNOTSUPP"))
    throw new UsageError(`LISTEN_FDS is 1, but descriptor ${fd} is not a socket to listen on`);
  if (hasCode(error, "EADDRINUSE"))
    throw new Error(
      `port ${port} on ${host} is in use: choose another with ${portFlag}, or 0 for a free one`,
    );
  if (hasCode(error, "EAI_AGAIN"))
    throw new Error(`${hostFlag} ${host} can't be looked up: no DNS server answers`);
  if (hasCode(error, "EADDRNOTAVAIL", "ENOTFOUND", "EINVAL"))
    throw new UsageError(`${hostFlag} ${host} is not an address of this machine`);
  throw error;
}
