import { looseModeWarning } from "../../../kit/files/owners.js";
import { type Endpoint, hostOf, isLoopback } from "../../../kit/net/endpoint.js";
import type { AuditLog } from "../../../server/api/audit.js";
import type { ServerOptions } from "../../../server/start-server.js";
import type { TlsCredentials } from "../../../server/wire/tls.js";
import { pasteLines } from "../../../tasks/data/shell-lines.js";
import { refuseToReload, refuseUnsafeFile } from "../../../tasks/safe-files.js";
import { type DataPlace, placeFiles, placeFlags } from "../../../tasks/settings/connection.js";
import { type Context, printLines } from "../../output/context.js";
import { colorsFor } from "../../output/output.js";
import { createLog, type Log, type LogFormat, logKeyWarnings, logReloads } from "./log.js";
import { startServing } from "./start-serving.js";
import type { TlsFiles, TlsPaths } from "./tls-files.js";

/** The flags of `serve` besides the options of its server. */
export interface ServeFlags {
  place: DataPlace;
  logFormat: LogFormat;
  tlsPaths: TlsPaths | undefined;
  /** Path of a file. */
  auditLog?: string | undefined;
  metrics?: Endpoint | undefined;
}

/** Resolves once the process was asked to stop and all open requests are answered. */
export async function runServe(
  options: ServerOptions,
  serveFlags: ServeFlags,
  context: Context,
): Promise<void> {
  const { io, surroundings, flags } = context;
  const { place, logFormat, tlsPaths, auditLog, metrics } = serveFlags;
  // Reloads once the data is watched.
  const phase = { isStarting: true, reload: () => {} };
  const stopped = io.untilStopped(phase);
  const { localData } = await import("../../../tasks/data/open-data.js");
  const { Service } = await import("../../../service/service.js");
  const data = await localData(place, context);
  const colors = await colorsFor(io.stderr, surroundings.env, flags.color);
  const { log, written } = createLog(io.stderr, logFormat, surroundings.clock, colors);
  const store = await data.serve({ cacheFolder: surroundings.folders.cache, log });
  let audit: AuditLog | undefined;
  let tlsFiles: TlsFiles | undefined;
  let endWarnings = () => {};
  try {
    const service = new Service(store, surroundings.clock);
    endWarnings = logKeyWarnings(store, placeFlags(place), surroundings.clock, log);
    let server: Awaited<ReturnType<typeof startServing>> | undefined;
    tlsFiles =
      tlsPaths &&
      (await openTlsFiles(tlsPaths, surroundings, log, async (renewed) =>
        server?.renewTls(renewed),
      ));
    const tls = tlsFiles?.current;
    if (auditLog !== undefined) {
      const { openAuditLog } = await import("./audit-file.js");
      audit = await openAuditLog(auditLog, otherFiles(serveFlags), surroundings, log);
    }
    const setup = { audit, metrics, log, flags, io: surroundings };
    server = await startServing(store, service, { ...options, tls }, setup);
    phase.isStarting = false;
    warnOfRisks(serveFlags, server.url, log);
    // Renewed in the meantime.
    if (tlsFiles && tlsFiles.current !== tls) await server.renewTls(tlsFiles.current);
    logReloads(store, data.name, log);
    phase.reload = () => {
      const reopened = auditLog === undefined ? "" : ` and reopening ${auditLog}`;
      log("info", `SIGHUP: reloading ${data.name}${reopened}`);
      store.readAgain();
      tlsFiles?.readAgain();
      audit?.reopen();
    };
    if (options.fd !== undefined)
      log("info", "listening on the socket of the service manager, not on --host and --port");
    log("info", `serving ${data.name} on ${server.url}`);
    // Other commands exit when nobody reads their output any more. A server keeps running.
    io.stdout.removeAllListeners("error").on("error", () => {});
    printLines(context, {
      json: { url: server.url },
      lines: pasteLines({ APPVARS_URL: server.url }, surroundings),
    });
    try {
      await stopped;
      log("info", "stopping: open requests are answered first");
    } finally {
      await server.close();
    }
  } finally {
    endWarnings();
    tlsFiles?.close();
    audit?.close();
    await store.close();
    await written();
  }
}

/**
 * Opens the files of the certificate, and renews it when they change.
 *
 * @throws UsageError, InvalidDataError
 */
async function openTlsFiles(
  paths: TlsPaths,
  surroundings: Context["surroundings"],
  log: Log,
  renew: (tls: TlsCredentials) => Promise<void>,
): Promise<TlsFiles> {
  const { TlsFiles } = await import("./tls-files.js");
  const warnings = Object.values(paths).flatMap(
    (path) => (path && refuseUnsafeFile(path, surroundings)) ?? [],
  );
  for (const warning of [...warnings, looseModeWarning(paths.key)])
    if (warning) log("warn", warning);
  return TlsFiles.open(paths, {
    check: (path) => refuseToReload(path, surroundings),
    onRenewed: (tls) =>
      void renew(tls).then(
        () => log("info", "reloaded the TLS files: new connections use them"),
        (error) => log("error", String(error)),
      ),
    onProblem: (message) => log("error", `${message}; the certificate is not renewed`),
  });
}

/** The files that the audit log must not be, and the flag that names each. */
function otherFiles({ place, tlsPaths }: ServeFlags) {
  const { cert, key, clientCa } = tlsPaths ?? {};
  return [
    ...placeFiles(place),
    { from: "--tls-cert", text: cert },
    { from: "--tls-key", text: key },
    { from: "--tls-client-ca", text: clientCa },
  ];
}

function warnOfRisks({ tlsPaths, metrics }: ServeFlags, url: string, log: Log): void {
  const host = url && hostOf(new URL(url));
  if (host && !isLoopback(host) && tlsPaths === undefined)
    log(
      "warn",
      `--host ${host}: other machines may reach the server, and without TLS the traffic can be read`,
    );
  if (metrics && !isLoopback(metrics.host))
    log("warn", `--metrics ${metrics.host}: other machines may read the metrics`);
}
