import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { expiringKeys, qualifiedName } from "../../model/environment.js";
import { ROUTES } from "../../model/reads/routes.js";
import type { Reloadable, Store } from "../../store/store.js";
import type { ServedRequest } from "../api/served-request.js";
import type { OnDecision } from "../limits/rate-limiter.js";

/**
 * The label of any other route or method: clients must not choose the number of
 * time series.
 */
const OTHER = "other";

/** Upper bounds of histogram buckets, in seconds. */
const BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

/** Creates a registry with metrics of this process, such as CPU time and memory. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Gauges with the names of counters.
  for (const what of ["handles", "requests", "resources"])
    registry.removeSingleMetric(`nodejs_active_${what}_total`);
  return registry;
}

/**
 * The metrics of a server's requests and connections. A request costs about 2
 * µs.
 */
export class ServerMetrics {
  readonly #requests: Counter<"route" | "method" | "status">;
  readonly #durations: Histogram<"route">;
  readonly #decisions: Counter<"counter" | "decision">;
  #openConnections = (): number => 0;

  /** @param isRecordingFailed whether the audit log can't be written */
  constructor(registry: Registry, isRecordingFailed: () => boolean) {
    const registers = [registry];
    this.#requests = new Counter({
      name: "appvars_http_requests_total",
      help: "Requests that were answered, by route, method and status.",
      labelNames: ["route", "method", "status"],
      registers,
    });
    this.#durations = new Histogram({
      name: "appvars_http_request_duration_seconds",
      help: "Time from the head of a request to the end of its answer, by route.",
      labelNames: ["route"],
      buckets: BUCKETS,
      registers,
    });
    this.#decisions = new Counter({
      name: "appvars_rate_limit_decisions_total",
      help: "Decisions of the rate limit, by the kind of counter: an API key's, an address's, or an address's for /healthz.",
      labelNames: ["counter", "decision"],
      registers,
    });
    for (const route of [...Object.values(ROUTES), OTHER]) this.#durations.zero({ route });
    for (const counter of ["key", "address", "health"])
      for (const decision of ["allowed", "refused"]) this.#decisions.inc({ counter, decision }, 0);
    addGauge(registry, "appvars_open_connections", "Connections that are open.", () =>
      this.#openConnections(),
    );
    addGauge(
      registry,
      "appvars_recording_failed",
      "1 while the audit log can't be written, so that reads are answered 503, otherwise 0.",
      () => (isRecordingFailed() ? 1 : 0),
    );
  }

  readonly count = ({ route = OTHER, method, status, milliseconds }: ServedRequest): void => {
    const isRead = method === "GET" || method === "HEAD";
    this.#requests.inc({ route, method: isRead ? method : OTHER, status });
    // Without a method, the request could not be parsed.
    if (method !== undefined) this.#durations.observe({ route }, milliseconds / 1_000);
  };

  readonly countDecision: OnDecision = (counter, isAllowed) =>
    this.#decisions.inc({ counter, decision: isAllowed ? "allowed" : "refused" });

  watchConnections(count: () => number): void {
    this.#openConnections = count;
  }
}

/**
 * Adds metrics of a server's data: reloads, age and expiring keys.
 *
 * @param clock Unix time in milliseconds
 * @param ticks monotonic clock in milliseconds
 */
export function addDataMetrics(
  registry: Registry,
  store: Pick<Store & Reloadable, "problem" | "age" | "onReload" | "data">,
  clock: () => number,
  ticks: () => number,
): void {
  let loadedAt = ticks();
  const durations = new Histogram({
    name: "appvars_data_reload_duration_seconds",
    help: "Time to read the data again, by result. A failed attempt is repeated until it succeeds.",
    labelNames: ["result"],
    buckets: BUCKETS,
    registers: [registry],
  });
  for (const result of ["success", "failure"]) durations.zero({ result });
  store.onReload(({ isRead, milliseconds }) => {
    durations.observe({ result: isRead ? "success" : "failure" }, milliseconds / 1_000);
    if (isRead) loadedAt = ticks();
  });
  addGauge(
    registry,
    "appvars_data_age_seconds",
    "Time since the served data was read from the data file, or last known to be the newest in the data store.",
    () => (store.age ?? ticks() - loadedAt) / 1_000,
  );
  addGauge(
    registry,
    "appvars_data_last_reload_successful",
    "1, or 0 if the data can't be read and older data is served.",
    () => (store.problem === undefined ? 1 : 0),
  );
  addKeyExpiry(registry, store, clock);
}

function addKeyExpiry(registry: Registry, store: Pick<Store, "data">, clock: () => number): void {
  new Gauge({
    name: "appvars_key_expiry_seconds",
    help: "Time until a named key expires, by environment and client; below 0 after that.",
    labelNames: ["environment", "client"],
    registers: [registry],
    collect() {
      this.reset();
      for (const key of expiringKeys(store.data.environments)) {
        const labels = { environment: qualifiedName(key.environment), client: key.client ?? "" };
        this.set(labels, (key.validUntil - clock()) / 1_000);
      }
    },
  });
}

function addGauge(registry: Registry, name: string, help: string, value: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(value());
    },
  });
}
