import { type Aggregator, AggregatorRegistry, type Registry } from "prom-client";
import type { MetricsJson } from "./registry.js";

/** The metrics of several processes as those of one server. */
export function aggregate(processes: readonly MetricsJson[]): Registry {
  return AggregatorRegistry.aggregate(processes.map((metrics) => metrics.map(withAggregator)));
}

/** What only goes up: it does not go down when a process ends. */
export async function sumsOf(processes: readonly MetricsJson[]): Promise<MetricsJson> {
  const isSum = ({ type }: MetricsJson[number]) => ["counter", "histogram"].includes(String(type));
  return aggregate(processes.map((metrics) => metrics.filter(isSum))).getMetricsAsJSON();
}

function withAggregator<T extends MetricsJson[number]>(metric: T): T {
  const aggregator = aggregatorOf(metric.name);
  return aggregator ? { ...metric, aggregator } : metric;
}

/** In place of those of prom-client, which hide a blocked process by an average, and leave out the start. */
function aggregatorOf(name: string): Aggregator | undefined {
  if (name === "process_start_time_seconds") return "min";
  const isLag = name.startsWith("nodejs_eventloop_lag_") && !name.includes("_min_");
  return isLag ? "max" : undefined;
}
