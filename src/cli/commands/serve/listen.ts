import type { AuditFileOptions } from "../../../cluster/messages.js";
import type { Cluster } from "../../../cluster/start-cluster.js";
import type { ClusterOptions } from "../../../cluster/worker-pool.js";
import type { Endpoint } from "../../../domain/endpoint.js";
import { UsageError } from "../../../domain/errors.js";
import type { AppendFile } from "../../../files/append-file.js";
import { hasCode } from "../../../files/system-errors.js";
import type { AuditLog, AuditState } from "../../../server/audit.js";
import type { RedisAddress } from "../../../server/redis-address.js";
import type { SharedLimiter } from "../../../server/shared-limiter.js";
import type { RunningServer, ServerOptions } from "../../../server/start-server.js";
import type { Service } from "../../../service/service.js";
import type { Reloadable, Store } from "../../../store/store.js";
import type { ServedData } from "../../editing/served-data.js";
import type { OutputFlags } from "../../output/context.js";
import type { Io } from "../../output/io.js";
import { type Log, logRateLimitStore, serverLogHooks } from "./log.js";
import { serveMetrics } from "./metrics.js";

export interface ListenOptions extends Omit<ServerOptions, "faults" | "audit"> {
  /** Where metrics are served; port 0 picks a free one. Default: nowhere. */
  metrics?: Endpoint;
  /** Number of processes that serve requests; 1 is this one. */
  workers: number;
  auditFile?: AuditFileOptions | undefined;
  /** Where requests are counted, with those of other servers. Default: here. */
  rateLimitStore?: RedisAddress | undefined;
  /** The data that each worker opens. */
  served: ServedData;
  stopped?: Promise<void>;
}

type ServedStore = Store & Reloadable;

const ticks = () => performance.now();

/** @throws UsageError; Error with advice */
export async function listen(
  store: ServedStore,
  service: Service,
  options: ListenOptions,
  { log, flags, io }: { log: Log; flags: OutputFlags; io: Pick<Io, "env" | "clock"> },
): Promise<RunningServer & Partial<Cluster>> {
  const logged = { ...options, ...serverLogHooks(log, flags) };
  const metrics = await listenForMetrics(store, options, log);
  try {
    const server =
      options.workers > 1
        ? await listenWithWorkers({ ...logged, workerMetrics: metrics?.workers }, log, io.env)
        : await listenHere(service, { ...logged, statistics: metrics?.statistics }, log, io.clock);
    // Until the last request is answered, there is something to measure.
    return { ...server, close: () => server.close().finally(() => metrics?.close()) };
  } catch (error) {
    await metrics?.close();
    throw explainListenError(error, options, "--host", "--port");
  }
}

async function listenForMetrics(store: ServedStore, options: ListenOptions, log: Log) {
  const { metrics, workers, rateLimitStore } = options;
  if (metrics === undefined) return undefined;
  const hasRateLimitStore = rateLimitStore !== undefined;
  return serveMetrics(store, { ...metrics, workers, hasRateLimitStore, log }).catch((error) => {
    throw explainListenError(error, metrics, "--metrics", "--metrics");
  });
}

/** @throws InvalidDataError if lines can't be appended to the file */
async function openAuditFile({ path, account }: AuditFileOptions): Promise<AppendFile> {
  const { AppendFile } = await import("../../../files/append-file.js");
  const file = new AppendFile(path, account);
  file.open();
  return file;
}

async function listenHere(
  service: Service,
  { auditFile, rateLimitStore, ...options }: ListenOptions,
  log: Log,
  clock: () => number,
): Promise<RunningServer & Partial<Cluster>> {
  const { startServer } = await import("../../../server/start-server.js");
  const limiter = rateLimitStore && (await openSharedLimiter(rateLimitStore, options, log));
  let audit: AuditLog | undefined;
  const close = () => {
    audit?.close();
    limiter?.close();
  };
  try {
    audit = auditFile && (await openAuditLog(auditFile, clock, log));
    const server = await startServer(service, { ...options, workers: 1, audit, limiter }, clock);
    return { ...server, reload: () => audit?.reopen(), close: () => server.close().finally(close) };
  } catch (error) {
    close();
    throw error;
  }
}

async function openAuditLog(auditFile: AuditFileOptions, clock: () => number, log: Log): Promise<AuditLog> {
  const { AuditLog } = await import("../../../server/audit.js");
  const onProblem = logAuditProblems(auditFile, log);
  return new AuditLog(await openAuditFile(auditFile), { clock, ticks, onProblem });
}

async function openSharedLimiter(address: RedisAddress, options: ServerOptions, log: Log): Promise<SharedLimiter> {
  const { createRateLimiter } = await import("../../../server/rate-limiter.js");
  const { createRedisLimiter } = await import("../../../server/redis-store.js");
  const { withDefaults } = await import("../../../server/start-server.js");
  const { rateLimit: limit, rateWindow: window } = withDefaults(options);
  const fallback = createRateLimiter({ limit, window }, ticks);
  const onChange = logRateLimitStore(address, log);
  const limiter = await createRedisLimiter(address, { limit, window, fallback, onChange }, ticks);
  if (options.statistics) options.statistics.isRateLimitStoreUp = () => limiter.isStoreUp;
  return limiter;
}

async function listenWithWorkers(
  options: ListenOptions & Pick<ClusterOptions, "workerMetrics">,
  log: Log,
  env: Io["env"],
): Promise<Cluster> {
  const { startCluster } = await import("../../../cluster/start-cluster.js");
  // The workers could only log its problem.
  if (options.auditFile) (await openAuditFile(options.auditFile)).close();
  const { rateLimitStore } = options;
  return startCluster({
    ...options,
    data: options.served,
    onErrorLine: (line) => log("error", line),
    onAuditProblem: logAuditProblems(options.auditFile, log),
    onRateLimitStore: rateLimitStore ? logRateLimitStore(rateLimitStore, log) : () => {},
    onReplaced: (reason) => log("error", `a worker has ended (${reason}); restarting it`),
    process: {
      // They get their settings, and no secrets, from this process.
      env: Object.fromEntries(
        Object.keys(env)
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
    const consequence = isRecording ? "the file that was open before is used for now" : "reads are answered 503";
    if (problem !== undefined) log("error", `${problem}; ${consequence}`);
    else log("info", `${file?.path} can be written again${lost > 0 ? `; requests missing in it: ${lost}` : ""}`);
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
    return new Error(`port ${port} on ${host} is in use: choose another with ${portFlag}, or 0 for a free one`);
  if (hasCode(error, "EAI_AGAIN")) return new Error(`${hostFlag} ${host} can't be looked up: no DNS server answers`);
  const isForeign = hasCode(error, "EADDRNOTAVAIL", "ENOTFOUND", "EINVAL");
  return isForeign ? new UsageError(`${hostFlag} ${host} is not an address of this machine`) : error;
}
