import { describe, expect, it } from "vitest";
import { Gateway } from "../../src/etcd/gateway.js";
import { createEtcdStore, openEtcdStore } from "../../src/etcd/open-store.js";
import type { StoreAddress } from "../../src/model/store-address.js";
import { startEtcdCluster } from "../support/etcd.js";
import { QUICK } from "../support/measuring.js";
import { needs } from "../support/needed-program.js";
import { quantile, report } from "../support/report.js";
import { countersData, increment } from "./counters.js";
import { Client, REPLICAS, startReplica, timeText } from "./replicas.js";

const WRITERS = 8;
const WRITES = 25;

const SEEN_WRITES = QUICK ? 100 : 1_000;
// With QUICK, there is other work at the same time, and only writes that are far too slow are
// noticed.
/**
 * The median beside that of etcd alone. A replica asks a majority of the members before it shows a
 * write.
 */
const MAX_P50_RATIO = QUICK ? 12 : 6;
const MAX_P99_MS = QUICK ? 500 : 50;

describe("a cluster", needs("etcd"), () => {
  it("counts each of the increments that several writers make at once", async () => {
    const access = (await startEtcdCluster()).access();
    await createEtcdStore(access, countersData(1));
    const start = performance.now();
    const counts = await Promise.all(
      Array.from({ length: WRITERS }, async () => {
        const store = await openEtcdStore(access);
        let count = 0;
        for (let done = 0; done < WRITES; done++) count = await increment(store, 0);
        await store.close();
        return count;
      }),
    );
    const took = performance.now() - start;
    report(
      "Increments at once",
      `${WRITERS} writers add 1 to the same variable ${WRITES} times`,
      `${Math.max(...counts)} in ${timeText(took)}`,
    );
    expect(Math.max(...counts)).toBe(WRITERS * WRITES);
  });

  it("shows a write on all replicas at once", async () => {
    const access = (await startEtcdCluster()).access();
    const alone = await timesOfEtcdAlone(access.address);
    await createEtcdStore(access, countersData(1));
    const replicas = await Promise.all(
      Array.from({ length: REPLICAS }, () => startReplica(access.address.url)),
    );
    const clients = replicas.map(({ port }) => new Client(port, 0));
    const store = await openEtcdStore(access);
    const times: number[] = [];
    for (let write = 1; write <= SEEN_WRITES; write++) {
      const start = performance.now();
      await increment(store, 0);
      // Not asked before: that would only take time from the measured writes, on one machine.
      await Promise.all(clients.map((client) => untilAnswered(client, write)));
      times.push(performance.now() - start);
    }
    await store.close();
    const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
    report(
      "A write is seen",
      `${SEEN_WRITES} writes, one after another; from the start of each until all of ${REPLICAS} replicas answer with it`,
      `${quantiles(times)}; etcd alone, from the start of a put until watches of all members tell of it: ${quantiles(alone)}`,
    );
    expect(p50 / quantile(alone, 0.5)).toBeLessThanOrEqual(MAX_P50_RATIO);
    expect(p99).toBeLessThanOrEqual(MAX_P99_MS);
  });
});

async function untilAnswered(client: Client, count: number): Promise<void> {
  let answer: Awaited<ReturnType<Client["read"]>>;
  do {
    answer = await client.read();
    expect(answer.status).toBe(200);
  } while (answer.count !== count);
}

/**
 * Milliseconds from the start of each of some writes to etcd until a watch of each member reports
 * it.
 */
async function timesOfEtcdAlone({ endpoints }: StoreAddress): Promise<number[]> {
  const gateways = endpoints.map((endpoint) => new Gateway({ endpoints: [endpoint] }));
  const key = "/alone";
  const put = () =>
    gateways[0]?.commit({ conditions: [], puts: [{ key, value: Buffer.from("0") }], deletes: [] });
  const watching = new AbortController();
  const watches = gateways.map((gateway) => gateway.watch(key, watching.signal));
  const next = () => Promise.all(watches.map((watch) => watch.next()));
  // They tell that they have begun.
  await next();
  const times: number[] = [];
  for (let write = 0; write < SEEN_WRITES; write++) {
    const start = performance.now();
    await Promise.all([put(), next()]);
    times.push(performance.now() - start);
  }
  watching.abort();
  for (const gateway of gateways) gateway.close();
  return times;
}

function quantiles(times: readonly number[]): string {
  return `p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`;
}
