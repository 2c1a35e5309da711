import type { Endpoint } from "../../../kit/net/endpoint.js";
import type { Audit } from "../../../server/api/audit.js";
import type { MetricsServer } from "../../../server/metrics/metrics-server.js";
import type { ServerMetrics } from "../../../server/metrics/registry.js";
import type { Reloadable, Store } from "../../../store/store.js";
import { throwListenError } from "./listen-errors.js";
import type { Log } from "./log.js";

/** Serves the metrics of this process. @throws UsageError; Error with advice */
export async function serveMetrics(
  place: Endpoint,
  store: Store & Reloadable,
  audit: Audit | undefined,
  log: Log,
): Promise<MetricsServer & { readonly metrics: ServerMetrics }> {
  const { startMetricsServer } = await import("../../../server/metrics/metrics-server.js");
  const registries = await import("../../../server/metrics/registry.js");
  const registry = registries.createRegistry();
  registries.addDataMetrics(registry, store, () => performance.now());
  registries.addAuditMetric(registry, () => audit?.isFailing === true);
  const metrics = new registries.ServerMetrics(registry);
  const onError = (error: unknown) =>
    log("error", `the metrics can't be collected: ${(error as Error).message}`);
  const server = await startMetricsServer({ ...place, registry, onError }).catch((error) =>
    throwListenError(error, place, "--metrics", "--metrics"),
  );
  log("info", `metrics on ${server.url}`);
  return { ...server, metrics };
}
