import { setTimeout as delay } from "node:timers/promises";
import {
  type Aggregator,
  AggregatorRegistry,
  type Registry,
  type RegistryContentType,
} from "prom-client";
import type { MetricsJson } from "./registry.js";

interface WorkerState {
  readonly ask: () => void;
  /** Its last report. */
  last: MetricsJson;
  /** Called when it has reported again, or has ended. */
  onReport: () => void;
}

/**
 * The metrics of worker processes. A worker that is too busy to report them, or that has ended,
 * counts with its last report, so that no sum goes down.
 */
export class WorkerMetrics {
  readonly #waitMs: number;
  readonly #workers = new Map<object, WorkerState>();
  /** The last reports of ended workers. */
  #ended: MetricsJson[] = [];

  /** @param waitMs the time that a worker has to report */
  constructor(waitMs = 1_000) {
    this.#waitMs = waitMs;
  }

  /** @param ask makes the worker report */
  add(worker: object, ask: () => void): void {
    this.#workers.set(worker, { ask, last: [], onReport: () => {} });
  }

  receive(worker: object, metrics: MetricsJson): void {
    const state = this.#workers.get(worker);
    if (!state) return;
    state.last = metrics;
    state.onReport();
  }

  remove(worker: object): void {
    const state = this.#workers.get(worker);
    if (!state) return;
    this.#workers.delete(worker);
    this.#ended.push(state.last);
    state.onReport();
  }

  /** Resolves to the metrics of each worker. Call again only after that. */
  async collect(): Promise<MetricsJson[]> {
    const reported = [...this.#workers.values()].map((state) => {
      return new Promise<void>((resolve) => {
        state.onReport = resolve;
        state.ask();
      });
    });
    const given = new AbortController();
    await Promise.race([
      Promise.all(reported),
      delay(this.#waitMs, undefined, { signal: given.signal }).catch(() => {}),
    ]);
    given.abort();
    const ended = this.#ended;
    const sums = await sumsOf(ended);
    // Others may have ended in the meantime.
    this.#ended = [sums, ...this.#ended.slice(ended.length)];
    return [...this.#ended, ...[...this.#workers.values()].map(({ last }) => last)];
  }
}

/**
 * The metrics of several processes as those of one server.
 *
 * @param isOpenMetrics in that format, with exemplars
 */
export function aggregate(
  processes: readonly MetricsJson[],
  isOpenMetrics = false,
): Registry<RegistryContentType> {
  const prepared = processes.map((metrics) =>
    metrics.map((metric) => withName(withAggregator(metric), isOpenMetrics)),
  );
  const registry = AggregatorRegistry.aggregate(prepared);
  if (!isOpenMetrics) return registry;
  registry.setContentType(AggregatorRegistry.OPENMETRICS_CONTENT_TYPE);
  // prom-client leaves them out. All processes have the values of a histogram in the same order.
  for (const { name, values } of prepared.flat() as WithExemplars[]) {
    const sums = registry.getSingleMetric(name) as unknown as WithExemplars;
    for (const [index, { exemplar }] of values.entries())
      if (exemplar) Object.assign(sums.values[index] ?? {}, { exemplar });
  }
  return registry;
}

interface WithExemplars {
  readonly name: string;
  readonly values: readonly { exemplar?: object }[];
}

/**
 * In OpenMetrics, a counter is named without the end of its values' names, which prom-client adds
 * again.
 */
function withName<T extends MetricsJson[number]>(metric: T, isOpenMetrics: boolean): T {
  const isCounter = isOpenMetrics && String(metric.type) === "counter";
  return isCounter ? { ...metric, name: metric.name.replace(/_total$/, "") } : metric;
}

/** Counters and histograms, whose sums do not go down when a process ends. */
async function sumsOf(processes: readonly MetricsJson[]): Promise<MetricsJson> {
  const isSum = ({ type }: MetricsJson[number]) => ["counter", "histogram"].includes(String(type));
  return aggregate(processes.map((metrics) => metrics.filter(isSum))).getMetricsAsJSON();
}

function withAggregator<T extends MetricsJson[number]>(metric: T): T {
  const aggregator = aggregatorOf(metric.name);
  return aggregator ? { ...metric, aggregator } : metric;
}

/**
 * In place of those of prom-client, which hide a blocked process by an average, and leave out the
 * start.
 */
function aggregatorOf(name: string): Aggregator | undefined {
  if (name === "process_start_time_seconds") return "min";
  const isLag = name.startsWith("nodejs_eventloop_lag_") && !name.includes("_min_");
  return isLag ? "max" : undefined;
}
