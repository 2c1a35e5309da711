import type { RedisAddress } from "../server/redis-address.js";
import { type RunningServer, type ServerOptions, serverUrl, withDefaults } from "../server/start-server.js";
import type { TlsCredentials } from "../server/tls.js";
import type { AuditFileOptions } from "./messages.js";
import { openSharedSocket, type SharedSocket } from "./shared-socket.js";
import type { ProcessOptions } from "./worker-link.js";
import { type PoolHooks, WorkerPool } from "./worker-pool.js";

export interface ClusterOptions extends Omit<ServerOptions, "faults" | "audit">, PoolHooks {
  /** What each worker opens, in a form that can be sent. */
  data: unknown;
  /** Number of worker processes. */
  workers: number;
  process: ProcessOptions;
  /** Listened on in place of `host` and `port`. */
  socket?: SharedSocket | undefined;
  auditFile?: AuditFileOptions | undefined;
  /** Each worker counts requests there. Default: the primary counts them. */
  rateLimitStore?: RedisAddress | undefined;
  /** Once it resolves, the workers are not waited for. */
  stopped?: Promise<void> | undefined;
}

export interface Cluster extends RunningServer {
  /** Rejects if workers end again and again before they serve anything. */
  readonly failure: Promise<never>;
  /** Reads the data again, and goes on in the file that is at the path of the audit log now. */
  reload(): void;
}

/** The time that a worker has to end after the grace for open requests. */
const END_MS = 2_000;

/**
 * Serves the HTTP API from several processes as one server. All workers listen on one socket and read the data
 * themselves; this process counts the requests and writes the log. Resolves once all workers serve.
 *
 * node:cluster is not used. Its round robin passes each connection through this process, which takes more CPU time than
 * to answer a request. Without that, it closes the socket when no worker listens, even if all have been killed.
 *
 * @throws as `startServer` does; Error if the workers can't be started
 */
export async function startCluster(options: ClusterOptions, ticks = () => performance.now()): Promise<Cluster> {
  const { host, port: requestedPort, ...common } = withDefaults(options);
  if (options.tls) await checkTls(options.tls);
  const socket = options.socket ?? (await openSharedSocket(host, requestedPort));
  const server = { ...common, maxConnections: Math.ceil(common.maxConnections / options.workers) };
  const pool = new WorkerPool({ ...options, server, handle: socket.handle, ticks });
  const close = () => {
    // The workers still have it.
    socket.close();
    return pool.drain(server.drainGrace * 1_000 + END_MS);
  };
  try {
    await Promise.race([pool.start(), options.stopped ?? pool.failure]);
  } catch (error) {
    pool.kill();
    socket.close();
    throw error;
  }
  let closing: Promise<void> | undefined;
  return {
    url: serverUrl(socket.host, socket.port, options.tls !== undefined),
    port: socket.port,
    failure: pool.failure,
    renewTls: async (tls) => {
      await checkTls(tls);
      pool.renewTls(tls);
    },
    reload: () => pool.reload(),
    close: () => (closing ??= close()),
  };
}

/** Loads the code for it, which most servers don't need. @throws UsageError */
async function checkTls(tls: TlsCredentials): Promise<void> {
  const { checkTlsCredentials } = await import("../server/tls.js");
  checkTlsCredentials(tls);
}
