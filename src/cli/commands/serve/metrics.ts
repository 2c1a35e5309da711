import type { Endpoint } from "../../../kit/net/endpoint.js";
import type { MetricsServer } from "../../../server/metrics/metrics-server.js";
import type { ServerStatistics } from "../../../server/metrics/statistics.js";
import type { Reloadable, Store } from "../../../store/store.js";
import { throwListenError } from "./listen-errors.js";
import type { Log } from "./log.js";

interface ServedMetrics extends MetricsServer {
  /** The statistics for the server to count in. */
  readonly statistics: ServerStatistics;
}

/** Serves the metrics of this process. @throws UsageError; Error with advice */
export async function serveMetrics(
  store: Store & Reloadable,
  place: Endpoint,
  log: Log,
): Promise<ServedMetrics> {
  const { startMetricsServer } = await import("../../../server/metrics/metrics-server.js");
  const { addDataMetrics, addServerMetrics, createRegistry } = await import(
    "../../../server/metrics/registry.js"
  );
  const { ServerStatistics } = await import("../../../server/metrics/statistics.js");
  const registry = createRegistry();
  const statistics = new ServerStatistics();
  addDataMetrics(registry, store, () => performance.now());
  addServerMetrics(registry, statistics);
  const onError = (error: unknown) =>
    log("error", `the metrics can't be collected: ${(error as Error).message}`);
  const server = await startMetricsServer({ ...place, registry, onError }).catch((error) =>
    throwListenError(error, place, "--metrics", "--metrics"),
  );
  log("info", `metrics on ${server.url}`);
  return { ...server, statistics };
}
