import type { Endpoint } from "../../../kit/net/endpoint.js";
import type { MetricsServer } from "../../../metrics/metrics-server.js";
import type { WorkerMetrics } from "../../../metrics/worker-metrics.js";
import type { ServerOptions } from "../../../server/start-server.js";
import type { ServerStatistics } from "../../../server/statistics.js";
import type { Reloadable, Store } from "../../../store/store.js";
import type { Log } from "./log.js";

interface ServedMetrics extends MetricsServer {
  /** The statistics of a server in this process. */
  readonly statistics?: ServerStatistics;
  /** Collects the metrics of workers. */
  readonly workers?: WorkerMetrics;
}

/**
 * Serves the metrics of this process and, if there are any, of its workers.
 *
 * @throws as `startMetricsServer` does
 */
export async function serveMetrics(
  store: Store & Reloadable,
  { workers = 1, rateLimitStore }: ServerOptions,
  place: Endpoint,
  log: Log,
): Promise<ServedMetrics> {
  const { startMetricsServer } = await import("../../../metrics/metrics-server.js");
  const { addDataMetrics, addRateLimitStoreMetric, addServerMetrics, createRegistry } =
    await import("../../../metrics/registry.js");
  const { WorkerMetrics } = await import("../../../metrics/worker-metrics.js");
  const { ServerStatistics } = await import("../../../server/statistics.js");
  const registry = createRegistry();
  addDataMetrics(registry, store, () => performance.now());
  const counted =
    workers > 1 ? { workers: new WorkerMetrics() } : { statistics: new ServerStatistics() };
  if (counted.statistics) addServerMetrics(registry, counted.statistics);
  if (counted.statistics && rateLimitStore) addRateLimitStoreMetric(registry, counted.statistics);
  const collect = async () => [
    await registry.getMetricsAsJSON(),
    ...((await counted.workers?.collect()) ?? []),
  ];
  const onError = (error: unknown) =>
    log("error", `the metrics can't be collected: ${(error as Error).message}`);
  const server = await startMetricsServer({ ...place, collect, onError });
  log("info", `metrics on ${server.url}`);
  return { ...server, ...counted };
}
