import { existsSync } from "node:fs";
import { Command, Option } from "commander";
import { isLoopback } from "../../client/options.js";
import { DEFAULT_HOST, DEFAULT_KEYLESS_LIMIT, DEFAULT_MAX_CONNECTIONS, DEFAULT_PORT } from "../../domain/defaults.js";
import { UsageError } from "../../domain/errors.js";
import { command } from "../../domain/shell.js";
import { looseMode, looseModeWarning } from "../../files/owners.js";
import type { AuditFailure } from "../../server/audit.js";
import type { TlsCredentials } from "../../server/tls.js";
import { DEFAULT_TOLERANCE } from "../../signing/verify.js";
import { allowsUnsafeFiles, isSameFile, refuseToReload, refuseUnsafeFile } from "../editing/safe-files.js";
import type { Context } from "../output/context.js";
import { colorsFor } from "../output/output.js";
import { printLines } from "../output/printer.js";
import { takeActivatedSocket } from "../serving/activation.js";
import { pasteLines } from "../serving/credentials.js";
import { type ListenOptions, listen } from "../serving/listen.js";
import { createLog, type Log, type LogFormat, logReloads, logWeakSecrets } from "../serving/log.js";
import type { TlsFiles, TlsPaths } from "../serving/tls-files.js";
import {
  MAX_SIZE_MB,
  parseDuration,
  parseSize,
  parseTrustProxy,
  parseWorkers,
  rateLimitOption,
  rateWindowOption,
  wholeNumber,
} from "../settings/arguments.js";
import { type DataPlace, placeFiles, placeFlags } from "../settings/data-place.js";
import { addPlaceOptions } from "../settings/flags.js";
import { DEFAULT_DATA_FILE, RATE_LIMIT_STORE_VARIABLE } from "../settings/setting-table.js";
import { readSettings } from "../settings/settings.js";

interface ServeCommandOptions extends ListenOptions {
  place: DataPlace;
  /** Bytes. */
  maxDataSize?: number | undefined;
  logFormat: LogFormat;
  tlsCert?: string;
  tlsKey?: string;
  tlsClientCa?: string;
  /** Path of a file. */
  auditLog?: string | undefined;
  auditFailure?: AuditFailure;
}

export function serveCommand(context: Context): Command {
  return addPlaceOptions(new Command("serve"))
    .summary("serve the HTTP API from a data file or a store")
    .description(
      "Serve the HTTP API from a data file or a store, and follow its changes. By default, the data file is " +
        `${DEFAULT_DATA_FILE}, which is created with example variables if it is missing. Refuses a file that other ` +
        "users can change, unless APPVARS_ALLOW_UNSAFE_FILES=1. Prints the line that sets APPVARS_URL. SIGTERM and " +
        "Ctrl-C answer open requests and stop the server. SIGHUP reads its data and files again, or stops the server " +
        "if its terminal has been closed.",
    )
    .option("--max-data-size <size>", `largest data file to load, such as 64MB (default: ${MAX_SIZE_MB}MB)`, parseSize)
    .option("--host <address>", "address to listen on", DEFAULT_HOST)
    .option("--port <port>", "port to listen on, 0 for a free one", wholeNumber(0, 65_535), DEFAULT_PORT)
    .addOption(rateLimitOption())
    .addOption(rateWindowOption())
    .option(
      "--rate-limit-store <url>",
      `count requests in this Redis, for several servers: redis://host:6379 (${RATE_LIMIT_STORE_VARIABLE})`,
    )
    .option(
      "--max-connections <number>",
      "connections open at a time, 0 for no limit",
      wholeNumber(0),
      DEFAULT_MAX_CONNECTIONS,
    )
    .option("--tolerance-past <seconds>", "how old a signature may be", wholeNumber(0), DEFAULT_TOLERANCE.past)
    .option(
      "--tolerance-future <seconds>",
      "how far a client's clock may be ahead",
      wholeNumber(0),
      DEFAULT_TOLERANCE.future,
    )
    .option(
      "--keyless-limit <number>",
      "secrets tried for a signature without a key",
      wholeNumber(0),
      DEFAULT_KEYLESS_LIMIT,
    )
    .option("--trust-proxy <ranges>", "proxies whose X-Forwarded-For is used, such as 10.0.0.0/8", parseTrustProxy)
    .option(
      "--max-stale <age>",
      "answer /healthz with 503 once the data store's data is older, such as 5m",
      parseDuration,
    )
    .option("--workers <number>", "processes that serve requests, auto for the number of cores", parseWorkers, 1)
    .option("--tls-cert <file>", "serve HTTPS with this certificate, and the next one when the file is replaced")
    .option("--tls-key <file>", "its key")
    .option("--tls-client-ca <file>", "refuse clients without a certificate from this authority")
    .option(
      "--metrics-port <port>",
      "port to serve metrics for Prometheus on, 0 for a free one",
      wholeNumber(0, 65_535),
    )
    .option("--metrics-host <address>", `address to serve them on (default: "${DEFAULT_HOST}")`)
    .addOption(new Option("--log-format <format>", "format of the log").choices(["pretty", "json"]).default("pretty"))
    .option("--audit-log <file>", "append a line about each request to this file")
    .addOption(
      new Option(
        "--audit-failure <action>",
        "what to do with reads while it can't be written, refuse by default",
      ).choices(["refuse", "continue"]),
    )
    .addHelpText("after", "\nExample:\n  appvars serve --data vars.json --port 0")
    .action(
      async ({ data, store, storeKeyFile, tolerancePast, toleranceFuture, rateLimitStore: limitUrl, ...flags }) => {
        const tolerance = { past: tolerancePast, future: toleranceFuture };
        const rateLimitStore = await readRateLimitStore(limitUrl, flags.rateLimit, context.io.env);
        const socket = await takeActivatedSocket(context.io.env, process.pid);
        const listenOn = socket && { host: socket.host, port: socket.port, socket };
        const place = readSettings({ data, store, storeKeyFile }, context.io).dataPlace;
        const serving = runServe({ ...flags, ...listenOn, tolerance, rateLimitStore, place }, context);
        return serving.finally(context.io.leaveUnread);
      },
    );
}

/**
 * Undefined if there is no store, or no limit.
 *
 * @throws UsageError that does not quote the URL, and if packages are missing
 */
async function readRateLimitStore(flag: string | undefined, limit: number, env: Context["io"]["env"]) {
  if (flag?.includes("@"))
    throw new UsageError(`--rate-limit-store must not contain a user or password: set ${RATE_LIMIT_STORE_VARIABLE}`);
  // An empty variable counts as unset.
  const url = flag ?? (env[RATE_LIMIT_STORE_VARIABLE] || undefined);
  if (url === undefined) return undefined;
  const { parseRedisUrl } = await import("../../server/redis-address.js");
  const { loadRedisPackages } = await import("../../server/redis-store.js");
  const address = parseRedisUrl(url, flag === undefined ? RATE_LIMIT_STORE_VARIABLE : "--rate-limit-store");
  if (limit === 0) return undefined;
  await loadRedisPackages();
  return address;
}

/** Resolves once the process was asked to stop and all open requests are answered. */
async function runServe(options: ServeCommandOptions, context: Context): Promise<void> {
  const { io, flags } = context;
  const { place, logFormat, maxDataSize: maxSize } = options;
  checkFlags(options);
  const tlsPaths = readTlsPaths(options);
  // Reloads once the data is watched.
  const phase = { isStarting: true, reload: () => {} };
  const stopped = io.untilStopped(phase);
  const { localData } = await import("../editing/open-data.js");
  const { openServed } = await import("../editing/served-data.js");
  const { Service } = await import("../../service/service.js");
  const data = await localData(place, io);
  const colors = await colorsFor(io.stderr, io.env, flags.color);
  const { log, written } = await createLog(io.stderr, logFormat, io.clock, colors);
  const served = await data.served({ maxSize, cacheFolder: io.folders.cache, log });
  const store = await openServed(served, io.clock, (error) =>
    log("warn", `the last data can't be kept for a start without the store: ${(error as Error).message}`),
  );
  let tlsFiles: TlsFiles | undefined;
  try {
    const service = new Service(store, io.clock);
    warnOfRisks(options, log);
    logWeakSecrets(store, placeFlags(place), io.clock, log);
    let server: Awaited<ReturnType<typeof listen>> | undefined;
    tlsFiles = tlsPaths && (await openTlsFiles(tlsPaths, io, log, async (renewed) => server?.renewTls(renewed)));
    const tls = tlsFiles?.current;
    const auditFile = await describeAuditFile(options, io, log);
    // A worker serves as soon as it is ready.
    phase.isStarting = options.workers === 1;
    server = await listen(store, service, { ...options, served, auditFile, tls, stopped }, { log, flags, io });
    phase.isStarting = false;
    // Renewed in the meantime.
    if (tlsFiles && tlsFiles.current !== tls) await server.renewTls(tlsFiles.current);
    logReloads(store, data.name, log);
    phase.reload = () => {
      const reopened = options.auditLog === undefined ? "" : `, and opening ${options.auditLog}`;
      log("info", `SIGHUP: reading ${data.name} again${reopened}`);
      store.readAgain();
      tlsFiles?.readAgain();
      server?.reload?.();
    };
    if (options.socket) log("info", "listening on the socket of the service manager, not on --host and --port");
    log("info", `serving ${data.name} on ${server.url}`);
    // Other commands exit when nobody reads their output any more. A server keeps running.
    io.stdout.removeAllListeners("error").on("error", () => {});
    printLines(context, { json: { url: server.url }, lines: pasteLines({ APPVARS_URL: server.url }, io) });
    try {
      await Promise.race([stopped, ...(server.failure ? [server.failure] : [])]);
      log("info", "stopping: open requests are answered first");
    } finally {
      await server.close();
    }
  } finally {
    tlsFiles?.close();
    await store.close();
    await written();
  }
}

/** @throws UsageError for flags without another one that they belong to, and for one port for both servers */
function checkFlags(options: ServeCommandOptions): void {
  const { auditLog, auditFailure, host, port, metricsPort, metricsHost, maxStale, place } = options;
  if (auditFailure !== undefined && auditLog === undefined)
    throw new UsageError("--audit-failure needs --audit-log too");
  if (metricsHost !== undefined && metricsPort === undefined)
    throw new UsageError("--metrics-host needs --metrics-port too");
  if (maxStale !== undefined && place.kind === "file")
    throw new UsageError("--max-stale needs a data store: a data file has no age");
  if (options.maxDataSize !== undefined && place.kind === "store")
    throw new UsageError("--max-data-size is for a data file, not for a store");
  if (metricsPort !== 0 && metricsPort === port && (metricsHost ?? DEFAULT_HOST) === host)
    throw new UsageError("--metrics-port must not be the same as --port");
}

/** @throws UsageError unless there are both or none of the certificate and the key */
function readTlsPaths({
  tlsCert: cert,
  tlsKey: key,
  tlsClientCa: clientCa,
}: ServeCommandOptions): TlsPaths | undefined {
  if (cert !== undefined && key !== undefined) return { cert, key, clientCa };
  if (cert !== undefined) throw new UsageError("--tls-cert needs --tls-key too");
  if (key !== undefined) throw new UsageError("--tls-key needs --tls-cert too");
  if (clientCa !== undefined) throw new UsageError("--tls-client-ca needs --tls-cert and --tls-key too");
  return undefined;
}

/** Opens the files of the certificate, and renews it when they change. @throws UsageError, InvalidDataError */
async function openTlsFiles(
  paths: TlsPaths,
  io: Context["io"],
  log: Log,
  renew: (tls: TlsCredentials) => Promise<void>,
): Promise<TlsFiles> {
  const { TlsFiles } = await import("../serving/tls-files.js");
  const warnings = Object.values(paths).flatMap((path) => (path && refuseUnsafeFile(path, io)) ?? []);
  for (const warning of [...warnings, looseModeWarning(paths.key)]) if (warning) log("warn", warning);
  return TlsFiles.open(paths, {
    check: (path) => refuseToReload(path, io),
    onRenewed: (tls) =>
      void renew(tls).then(
        () => log("info", "the TLS files were read again: new connections use them"),
        (error) => log("error", String(error)),
      ),
    onProblem: (message) => log("error", `${message}; the certificate is not renewed`),
  });
}

/** @throws UsageError if it is another file of the server; InvalidDataError if other users can change or replace it */
async function describeAuditFile(options: ServeCommandOptions, io: Context["io"], log: Log) {
  const { auditLog: path, auditFailure: failure = "refuse" } = options;
  if (path === undefined) return undefined;
  const { place, tlsCert, tlsKey, tlsClientCa } = options;
  const tlsFiles = { "--tls-cert": tlsCert, "--tls-key": tlsKey, "--tls-client-ca": tlsClientCa };
  const others = [...placeFiles(place), ...Object.entries(tlsFiles).map(([from, text]) => ({ from, text }))];
  for (const { from, text } of others) {
    if (text !== undefined && (await isSameFile(path, text)))
      throw new UsageError(`--audit-log ${path} is the file of ${from}, which its lines would destroy`);
  }
  const unsafe = refuseUnsafeFile(path, io);
  if (unsafe) log("warn", unsafe);
  const mode = existsSync(path) ? looseMode(path) : undefined;
  if (mode !== undefined) log("warn", `others may read ${path} (mode ${mode}); run: ${command`chmod 600 ${path}`}`);
  return { path, account: { user: allowsUnsafeFiles(io) ? undefined : io.user, groups: io.groups }, failure };
}

function warnOfRisks({ host = "", tlsCert, metricsHost }: ServeCommandOptions, log: Log): void {
  if (!isLoopback(host) && tlsCert === undefined)
    log("warn", `--host ${host}: other machines may reach the server, and without TLS the traffic can be read`);
  if (metricsHost !== undefined && !isLoopback(metricsHost))
    log("warn", `--metrics-host ${metricsHost}: other machines may read the metrics`);
}
