import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Connection, requestText } from "../support/connection.js";
import { dataFile } from "../support/data-file.js";
import { grouped, QUICK } from "../support/measuring.js";
import { needs } from "../support/needed-program.js";
import { sharedRedis, startRedis } from "../support/redis.js";
import { counts, quantile, report } from "../support/report.js";
import { type ServeProcess, serveProcess } from "../support/serve-process.js";
import { tlsPath } from "../support/tls.js";
import { countersData, KEY, SECRET } from "./counters.js";

const REPLICAS = 4;
const LIMIT = 1_000;
const REQUESTS = 2_000;
/** To each replica. */
const CONNECTIONS = 25;
const HANG_MS = QUICK ? 1_500 : 3_000;

const REQUEST = requestText("GET", "/v1/variables?limit=1", [
  ["x-api-key", KEY],
  ["x-api-secret", SECRET],
]);

/** Servers of the same data that count in a Redis. */
async function startReplicas(
  count: number,
  flags: string[],
  env: Record<string, string> = {},
  limit = LIMIT,
): Promise<ServeProcess[]> {
  const { path } = await dataFile(countersData(1));
  const args = ["--data", path, "--rate-limit", `${limit}/600s`, ...flags];
  return Promise.all(Array.from({ length: count }, () => serveProcess(args, { env })));
}

/** Sends a request, and resolves to the remaining ones; undefined if it is refused. */
async function remaining({ port }: { port: number }): Promise<number | undefined> {
  const connection = new Connection(port);
  const answer = await connection.ask(REQUEST);
  connection.close();
  return answer?.status === 200
    ? Number(/^ratelimit-remaining: (\d+)$/im.exec(answer.head)?.[1])
    : undefined;
}

interface Sample {
  readonly at: number;
  readonly took: number;
  readonly status: number;
}

/** Sends requests on some connections, one after another, until it is stopped. */
function startLoad(port: number, connections: number) {
  const samples: Sample[] = [];
  let isOver = false;
  const work = async () => {
    const connection = new Connection(port);
    while (!isOver) {
      const at = performance.now();
      const answer = await connection.ask(REQUEST);
      samples.push({ at, took: performance.now() - at, status: answer?.status ?? 0 });
      await delay(2);
    }
    connection.close();
  };
  const all = Array.from({ length: connections }, work);
  const stop = async () => {
    isOver = true;
    await Promise.all(all);
  };
  return { samples, stop };
}

const slowest = (samples: readonly Sample[]) => Math.max(...samples.map(({ took }) => took));

describe("replicas that count in one Redis", needs("redis-server"), () => {
  const redis = sharedRedis();

  it.each(["1", "2"])("admit exactly the limit together, with --workers %s", async (workers) => {
    await redis().process.kill();
    await redis().process.start();
    const replicas = await startReplicas(REPLICAS, [
      "--rate-limit-store",
      redis().url,
      "--workers",
      workers,
    ]);
    const perConnection = REQUESTS / REPLICAS / CONNECTIONS;
    const statuses = await Promise.all(
      replicas.flatMap(({ port }) =>
        Array.from({ length: CONNECTIONS }, async () => {
          const connection = new Connection(port);
          const found: number[] = [];
          while (found.length < perConnection)
            found.push((await connection.ask(REQUEST))?.status ?? 0);
          connection.close();
          return found;
        }),
      ),
    );
    report(
      `Rate limit in Redis, --workers ${workers}`,
      `${REPLICAS} replicas, one key, limit ${grouped(LIMIT)}; ${grouped(REQUESTS)} requests on ${REPLICAS * CONNECTIONS} connections`,
      counts(statuses.flat()),
    );
    expect(counts(statuses.flat())).toBe(
      counts([...Array(LIMIT).fill(200), ...Array(REQUESTS - LIMIT).fill(429)]),
    );
    expect(await Promise.all(replicas.map(({ stop }) => stop()))).toEqual(replicas.map(() => 0));
    expect(replicas.map(({ log }) => log()).join("")).not.toContain("on its own");
  });

  it.each(["1", "2"])(
    "answer on their own while Redis hangs, with --workers %s",
    async (workers) => {
      const { url, process } = await startRedis();
      const flags = ["--rate-limit-store", url, "--workers", workers];
      const [replica] = await startReplicas(1, flags, {}, 1_000_000);
      const { port, log, stop } = replica as ServeProcess;
      const load = startLoad(port, 16);
      await delay(1_000);
      const pausedAt = performance.now();
      process.pause();
      await delay(HANG_MS);
      process.resume();
      await load.stop();
      const before = load.samples.filter(({ at }) => at < pausedAt - 100);
      const first = load.samples.filter(({ at }) => at >= pausedAt - 100 && at < pausedAt + 250);
      const later = load.samples.filter(({ at }) => at >= pausedAt + 500);
      const ms = (samples: readonly Sample[]) => `${Math.round(slowest(samples))} ms`;
      report(
        `Redis hangs, --workers ${workers}`,
        `SIGSTOP for ${HANG_MS / 1_000} s, under 16 clients of one replica; the slowest answer before, at first, and half a second later`,
        `${ms(before)}, ${ms(first)}, ${ms(later)}; ${counts(load.samples.map(({ status }) => status))}`,
      );
      expect(counts(load.samples.map(({ status }) => status))).toBe(
        counts(load.samples.map(() => 200)),
      );
      expect(slowest(first)).toBeLessThanOrEqual(250 + slowest(before));
      // Nobody has waited for Redis; single requests may have waited for a core.
      expect(
        quantile(
          later.map(({ took }) => took),
          0.99,
        ),
      ).toBeLessThan(200);
      await expect.poll(() => log().match(/counts the requests$/gm)).toHaveLength(2);
      expect(log().match(/on its own/g)).toHaveLength(1);
      expect(await stop()).toBe(0);
    },
  );

  it("count together again after Redis was killed and started", async () => {
    const { url, process } = await startRedis();
    const replicas = await startReplicas(2, ["--rate-limit-store", url]);
    const [one, other] = replicas as [ServeProcess, ServeProcess];
    expect([await remaining(one), await remaining(other)]).toEqual([LIMIT - 1, LIMIT - 2]);
    await process.kill();
    await expect
      .poll(() => [one.log(), other.log()])
      .toEqual([1, 2].map(() => expect.stringContaining("on its own")));
    expect([await remaining(one), await remaining(other)]).toEqual([LIMIT - 1, LIMIT - 1]);
    await process.start();
    for (const { log } of replicas)
      await expect.poll(() => log().match(/counts the requests$/gm)).toHaveLength(2);
    expect([await remaining(one), await remaining(other), await remaining(one)]).toEqual([
      LIMIT - 1,
      LIMIT - 2,
      LIMIT - 3,
    ]);
    expect(await Promise.all(replicas.map(({ stop }) => stop()))).toEqual([0, 0]);
  });

  it("trust a certificate of NODE_EXTRA_CA_CERTS, and get the password from the environment", async () => {
    const { url } = await startRedis({ tls: true, password: "hunter2" });
    const replicas = await startReplicas(2, ["--workers", "2"], {
      APPVARS_RATE_LIMIT_STORE: url.replace("//", "//:hunter2@"),
      NODE_EXTRA_CA_CERTS: tlsPath("certificate.pem"),
    });
    const [one, other] = replicas as [ServeProcess, ServeProcess];
    expect([await remaining(one), await remaining(other)]).toEqual([LIMIT - 1, LIMIT - 2]);
    expect(one.log() + other.log()).not.toContain("hunter2");
  });
});
