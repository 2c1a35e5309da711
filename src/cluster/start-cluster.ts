import { UsageError } from "../kit/text/errors.js";
import { type RunningServer, type ServerOptions, withDefaults } from "../server/start-server.js";
import type { TlsCredentials } from "../server/tls.js";
import { type ClusterSetup, WorkerPool } from "./worker-pool.js";

export interface Cluster extends RunningServer {
  /** Rejects if workers end again and again before they serve anything. */
  readonly failure: Promise<never>;
  /** Reads the data again, and goes on in the file that is at the path of the audit log now. */
  reload(): void;
}

/** The time that a worker has to end after the grace for open requests. */
const END_MS = 2_000;

/**
 * Serves the HTTP API from several processes as one server. All workers listen on one socket; this
 * process counts the requests and writes the log. Resolves once all workers serve.
 *
 * @throws as `startServer` does; Error if the workers can't be started
 */
export async function startCluster(
  options: ServerOptions,
  setup: ClusterSetup,
  ticks = () => performance.now(),
): Promise<Cluster> {
  const { host, drainGrace, port: requestedPort } = withDefaults(options);
  if (host === "") throw new UsageError("the host must be an address or a name");
  if (options.tls) await refuseUnusable(options.tls);
  const pool = new WorkerPool(options, setup, ticks);
  const stopped = setup.stopped?.then(() => ({ url: "", port: requestedPort }));
  const place = await Promise.race([pool.start(), stopped ?? pool.failure]).catch((error) => {
    pool.kill();
    throw error;
  });
  let closing: Promise<void> | undefined;
  return {
    ...place,
    failure: pool.failure,
    renewTls: async (tls) => {
      await refuseUnusable(tls);
      pool.renewTls(tls);
    },
    reload: () => pool.reload(),
    close: () => (closing ??= pool.drain(drainGrace * 1_000 + END_MS)),
  };
}

/** Loads the code for it, which most servers don't need. @throws UsageError */
async function refuseUnusable(tls: TlsCredentials): Promise<void> {
  const { checkTlsCredentials } = await import("../server/tls.js");
  checkTlsCredentials(tls);
}
