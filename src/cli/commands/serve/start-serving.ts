import type { Cluster } from "../../../cluster/start-cluster.js";
import type { AuditFileOptions } from "../../../cluster/worker-messages.js";
import type { ClusterSetup } from "../../../cluster/worker-pool.js";
import type { AppendFile } from "../../../kit/files/append-file.js";
import { hasCode } from "../../../kit/files/system-errors.js";
import type { Endpoint } from "../../../kit/net/endpoint.js";
import { UsageError } from "../../../kit/text/errors.js";
import type { AuditLog, AuditState } from "../../../server/audit.js";
import type { RunningServer, ServerOptions } from "../../../server/start-server.js";
import type { Service } from "../../../service/service.js";
import type { Reloadable, Store } from "../../../store/store.js";
import type { ServedData } from "../../../tasks/data/served-data.js";
import type { Io } from "../../../tasks/surroundings.js";
import type { OutputFlags } from "../../output/context.js";
import { type Log, serverLogHooks } from "./log.js";
import { serveMetrics } from "./metrics.js";

/** The surroundings of a server: its output and its data. */
interface ServeSetup extends Pick<ClusterSetup, "auditFile" | "stopped"> {
  /** Where metrics are served; port 0 picks a free one. Default: nowhere. */
  metrics: Endpoint | undefined;
  /** The data that each worker opens. */
  served: ServedData;
  log: Log;
  flags: OutputFlags;
  io: Pick<Io, "env" | "clock">;
}

const ticks = () => performance.now();

/** @throws UsageError; Error with advice */
export async function startServing(
  store: Store & Reloadable,
  service: Service,
  options: ServerOptions,
  setup: ServeSetup,
): Promise<RunningServer & Partial<Cluster>> {
  const logged = { ...options, ...serverLogHooks(setup.log, setup.flags, options.rateLimitStore) };
  const place = setup.metrics;
  const metrics =
    place &&
    (await serveMetrics(store, options, place, setup.log).catch((error) => {
      throw explainListenError(error, place, "--metrics", "--metrics");
    }));
  try {
    const server = hasWorkers(options)
      ? await listenWithWorkers(logged, setup, metrics?.workers)
      : await listenHere(service, { ...logged, statistics: metrics?.statistics }, setup);
    // Until the last request is answered, there is something to measure.
    return { ...server, close: () => server.close().finally(() => metrics?.close()) };
  } catch (error) {
    await metrics?.close();
    throw explainListenError(error, options, "--host", "--port");
  }
}

/** Whether several processes serve. */
export function hasWorkers({ workers = 1 }: ServerOptions): boolean {
  return workers > 1;
}

/** @throws InvalidDataError if lines can't be appended to the file */
async function openAuditFile({ path, account }: AuditFileOptions): Promise<AppendFile> {
  const { AppendFile } = await import("../../../kit/files/append-file.js");
  const file = new AppendFile(path, account);
  file.open();
  return file;
}

async function listenHere(
  service: Service,
  options: ServerOptions,
  { auditFile, log, io: { clock } }: ServeSetup,
): Promise<RunningServer & Partial<Cluster>> {
  const { startServer } = await import("../../../server/start-server.js");
  const audit = auditFile && (await openAuditLog(auditFile, clock, log));
  try {
    const server = await startServer(service, { ...options, audit }, clock);
    return {
      ...server,
      reload: () => audit?.reopen(),
      close: () => server.close().finally(() => audit?.close()),
    };
  } catch (error) {
    audit?.close();
    throw error;
  }
}

async function openAuditLog(
  auditFile: AuditFileOptions,
  clock: () => number,
  log: Log,
): Promise<AuditLog> {
  const { AuditLog } = await import("../../../server/audit.js");
  const onProblem = logAuditProblems(auditFile, log);
  return new AuditLog(await openAuditFile(auditFile), { clock, ticks, onProblem });
}

async function listenWithWorkers(
  options: ServerOptions,
  { auditFile, served, stopped, log, io }: ServeSetup,
  workerMetrics: ClusterSetup["workerMetrics"],
): Promise<Cluster> {
  const { startCluster } = await import("../../../cluster/start-cluster.js");
  // The workers could only log its problem.
  if (auditFile) (await openAuditFile(auditFile)).close();
  return startCluster(options, {
    data: served,
    auditFile,
    stopped,
    workerMetrics,
    onErrorLine: (line) => log("error", line),
    onAuditProblem: logAuditProblems(auditFile, log),
    onReplaced: (reason) => log("error", `a worker has ended (${reason}); restarting it`),
    process: {
      // They get their settings, and no secrets, from this process.
      env: Object.fromEntries(
        Object.keys(io.env)
          .filter((name) => name.toUpperCase().startsWith("APPVARS_"))
          .map((name) => [name, undefined]),
      ),
      // They could not have the same port for a debugger.
      execArgv: process.execArgv.filter((flag) => !flag.startsWith("--inspect")),
    },
  });
}

function logAuditProblems(file: AuditFileOptions | undefined, log: Log) {
  return ({ problem, isRecording, lost }: AuditState) => {
    const consequence = isRecording
      ? "the file that was open before is used for now"
      : "reads are answered 503";
    if (problem !== undefined) log("error", `${problem}; ${consequence}`);
    else
      log(
        "info",
        `${file?.path} can be written again${lost > 0 ? `; requests missing in it: ${lost}` : ""}`,
      );
  };
}

/** @param hostFlag names the host, as `portFlag` the port */
function explainListenError(
  error: unknown,
  { host, port, fd }: Pick<ServerOptions, "host" | "port" | "fd">,
  hostFlag: string,
  portFlag: string,
): unknown {
  if (fd !== undefined && hasCode(error, "EINVAL", "ENOTSOCK", "ENOTSUP", "EOPNOTSUPP"))
    return new UsageError(`LISTEN_FDS is 1, but descriptor ${fd} is not a socket to listen on`);
  if (hasCode(error, "EADDRINUSE"))
    return new Error(
      `port ${port} on ${host} is in use: choose another with ${portFlag}, or 0 for a free one`,
    );
  if (hasCode(error, "EAI_AGAIN"))
    return new Error(`${hostFlag} ${host} can't be looked up: no DNS server answers`);
  const isForeign = hasCode(error, "EADDRNOTAVAIL", "ENOTFOUND", "EINVAL");
  return isForeign
    ? new UsageError(`${hostFlag} ${host} is not an address of this machine`)
    : error;
}
