import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type Metric,
  Registry,
  type RegistryContentType,
} from "prom-client";
import { expiringKeys, qualifiedName } from "../../model/environment.js";
import type { Reloadable, Store } from "../../store/store.js";
import { LATENCY_BOUNDS, type ServerStatistics } from "./statistics.js";

/**
 * Metrics of prom-client that are left out. They list all sockets each time, and their names are
 * those of counters, which they are not.
 */
const LEFT_OUT = ["handles", "requests", "resources"].flatMap((what) => [
  `nodejs_active_${what}`,
  `nodejs_active_${what}_total`,
]);

/**
 * A registry with the metrics of this process: CPU time, memory, event loop, garbage collection.
 */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of LEFT_OUT) registry.removeSingleMetric(name);
  return registry;
}

/** Adds the statistics of a server. */
export function addServerMetrics(registry: Registry, statistics: ServerStatistics): void {
  const registers = [registry];
  new Counter({
    name: "appvars_http_requests_total",
    help: "Requests that were answered, by route, method and status.",
    labelNames: ["route", "method", "status"],
    registers,
    collect() {
      this.reset();
      for (const [route, { answers }] of statistics.routes)
        for (const [method, byStatus] of Object.entries(answers))
          for (const [status, count] of byStatus) this.inc({ route, method, status }, count);
    },
  });
  registry.registerMetric(latencyMetric(statistics));
  new Counter({
    name: "appvars_rate_limit_decisions_total",
    help: "Decisions of the rate limit, by the kind of counter: an API key's, an address's, or an address's for /healthz.",
    labelNames: ["counter", "decision"],
    registers,
    collect() {
      this.reset();
      for (const [counter, decisions] of Object.entries(statistics.decisions))
        for (const [decision, count] of Object.entries(decisions))
          this.inc({ counter, decision }, count);
    },
  });
  new Gauge({
    name: "appvars_open_connections",
    help: "Connections that are open.",
    registers,
    collect() {
      this.set(statistics.openConnections());
    },
  });
  new Gauge({
    name: "appvars_recording_failed",
    help: "1 while the audit log can't be written, so that reads are answered 503, otherwise 0.",
    registers,
    collect() {
      this.set(statistics.isRecordingFailed() ? 1 : 0);
    },
  });
}

/** A histogram of numbers that are there already: prom-client's own takes 1 µs for each request. */
function latencyMetric({ routes }: ServerStatistics): Metric {
  const name = "appvars_http_request_duration_seconds";
  const get = async () => ({
    name,
    help: "Time from the head of a request to the end of its answer, by route.",
    type: "histogram",
    values: [...routes].flatMap(([route, { latencies, exemplars, latencySum }]) => {
      let count = 0;
      const buckets = latencies.map((more, index) => {
        count += more;
        const labels = { le: LATENCY_BOUNDS[index] ?? "+Inf", route };
        return { metricName: `${name}_bucket`, labels, value: count, exemplar: exemplars[index] };
      });
      const sum = { metricName: `${name}_sum`, labels: { route }, value: latencySum / 1_000 };
      return [...buckets, sum, { metricName: `${name}_count`, labels: { route }, value: count }];
    }),
  });
  return metricOf({ name, get });
}

/** @param parts those that a registry uses */
function metricOf(parts: { name: string; get(): Promise<object> }): Metric {
  return parts as unknown as Metric;
}

/**
 * The metrics as they are now, to be written once: for OpenMetrics, prom-client removes the end of
 * each counter's name, and does not restore it.
 */
export async function readMetrics(
  registry: Registry,
  isOpenMetrics: boolean,
): Promise<Registry<RegistryContentType>> {
  const read = new Registry<RegistryContentType>();
  if (isOpenMetrics) read.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  for (const metric of await registry.getMetricsAsJSON()) {
    const copy = { ...metric, get: async () => copy };
    read.registerMetric(metricOf(copy));
  }
  return read;
}

/**
 * Adds how the data of a server is reloaded, and when its keys expire.
 *
 * @param ticks monotonic clock in milliseconds
 */
export function addDataMetrics(
  registry: Registry,
  store: Pick<Store & Reloadable, "problem" | "age" | "onReload" | "snapshot">,
  ticks: () => number,
  clock = Date.now,
): void {
  const registers = [registry];
  let loadedAt = ticks();
  const durations = new Histogram({
    name: "appvars_data_reload_duration_seconds",
    help: "Time to read the data again, by result. A failed attempt is repeated until it succeeds.",
    labelNames: ["result"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  for (const result of ["success", "failure"]) durations.zero({ result });
  store.onReload(({ isRead, milliseconds }) => {
    durations.observe({ result: isRead ? "success" : "failure" }, milliseconds / 1_000);
    if (isRead) loadedAt = ticks();
  });
  new Gauge({
    name: "appvars_data_age_seconds",
    help: "Time since the data that is served was read from the data file, or known to be the newest of the data store.",
    registers,
    collect() {
      this.set((store.age ?? ticks() - loadedAt) / 1_000);
    },
  });
  new Gauge({
    name: "appvars_data_last_reload_successful",
    help: "1, or 0 if the data can't be read and older data is served.",
    registers,
    collect() {
      this.set(store.problem === undefined ? 1 : 0);
    },
  });
  new Gauge({
    name: "appvars_key_expiry_seconds",
    help: "Time until a named key expires, by environment and client; below 0 after that.",
    labelNames: ["environment", "client"],
    registers,
    collect() {
      this.reset();
      for (const { environment, client = "", validUntil } of expiringKeys(
        store.snapshot.environments,
      ))
        this.set(
          { environment: qualifiedName(environment), client },
          (validUntil - clock()) / 1_000,
        );
    },
  });
}
