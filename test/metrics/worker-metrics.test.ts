import { expect, it, onTestFinished } from "vitest";
import {
  addRateLimitStoreMetric,
  addServerMetrics,
  createRegistry,
} from "../../src/metrics/registry.js";
import { aggregate, WorkerMetrics } from "../../src/metrics/worker-metrics.js";
import { errorReply } from "../../src/server/error-replies.js";
import { unparsedRequest } from "../../src/server/served-request.js";
import { ServerStatistics } from "../../src/server/statistics.js";

const BAD_REQUEST = errorReply(400, "Bad Request");

/**
 * Adds a worker that answers when `isBusy` is not set, and that has had one request for each call
 * of `serve`.
 */
function addWorker(metrics: WorkerMetrics, openConnections = 0) {
  const registry = createRegistry();
  onTestFinished(() => registry.clear());
  const statistics = new ServerStatistics();
  statistics.openConnections = () => openConnections;
  addServerMetrics(registry, statistics);
  const worker = {
    isBusy: false,
    serve: () => statistics.count(unparsedRequest("192.0.2.1", BAD_REQUEST, false)),
    answer: async () => metrics.receive(worker, await registry.getMetricsAsJSON()),
    end: () => metrics.remove(worker),
  };
  metrics.add(worker, () => void (worker.isBusy || worker.answer()));
  return worker;
}

async function scrape(metrics: WorkerMetrics) {
  const registry = aggregate(await metrics.collect());
  const text = await registry.metrics();
  const value = (name: string) =>
    Number(new RegExp(`^${name}(?:\\{.*\\})? (.+)$`, "m").exec(text)?.[1]);
  return {
    requests: value("appvars_http_requests_total"),
    connections: value("appvars_open_connections"),
    value,
  };
}

it("the numbers of all workers are added up", async () => {
  const metrics = new WorkerMetrics();
  for (const connections of [2, 3]) addWorker(metrics, connections).serve();
  expect(await scrape(metrics)).toMatchObject({ requests: 2, connections: 5 });
});

it("requests that a worker has reported count after it has ended, its connections do not", async () => {
  const metrics = new WorkerMetrics();
  for (let round = 1; round <= 5; round++) {
    const worker = addWorker(metrics, 7);
    worker.serve();
    expect(await scrape(metrics)).toMatchObject({ requests: round, connections: 7 });
    worker.end();
  }
  expect(await scrape(metrics)).toMatchObject({ requests: 5, connections: Number.NaN });
});

it("a worker that does not answer in time counts with its last report", async () => {
  const metrics = new WorkerMetrics(50);
  const [busy, other] = [addWorker(metrics), addWorker(metrics)];
  busy.serve();
  expect((await scrape(metrics)).requests).toBe(1);
  busy.isBusy = true;
  busy.serve();
  other.serve();
  expect((await scrape(metrics)).requests).toBe(2);
  await busy.answer();
  expect((await scrape(metrics)).requests).toBe(3);
});

it("the rate limit store is down if one worker can't use it", async () => {
  const processes = [true, false].map((isUp) => {
    const registry = createRegistry();
    onTestFinished(() => registry.clear());
    const statistics = new ServerStatistics();
    statistics.isRateLimitStoreUp = () => isUp;
    addRateLimitStoreMetric(registry, statistics);
    return registry.getMetricsAsJSON();
  });
  expect(await aggregate(await Promise.all(processes)).metrics()).toContain(
    "\nappvars_rate_limit_store_up 0\n",
  );
});

it("nothing waits for a worker that ends meanwhile", async () => {
  const metrics = new WorkerMetrics(3_600_000);
  const worker = addWorker(metrics);
  worker.serve();
  await scrape(metrics);
  worker.isBusy = true;
  const scraped = scrape(metrics);
  worker.end();
  expect((await scraped).requests).toBe(1);
});

it("of several processes, the lag is the largest and the start the earliest", () => {
  const gauge = (name: string, aggregator: string, value: number) =>
    ({ name, help: "x", type: "gauge", aggregator, values: [{ labels: {}, value }] }) as never;
  const processes = [1, 2].map((value) => [
    gauge("nodejs_eventloop_lag_p99_seconds", "average", value),
    gauge("nodejs_eventloop_lag_min_seconds", "min", value),
    gauge("process_start_time_seconds", "omit", value),
  ]);
  return expect(aggregate(processes).getMetricsAsJSON()).resolves.toMatchObject([
    { values: [{ value: 2 }] },
    { values: [{ value: 1 }] },
    { values: [{ value: 1 }] },
  ]);
});
