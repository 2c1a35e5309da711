import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { needs } from "../../support/needed-program.js";
import { sharedRedis, startRedis } from "../../support/redis.js";
import { KEY, redisLimiter, WINDOW } from "../../support/redis-limiter.js";
import { tcpProxy } from "../../support/tcp-proxy.js";

const ADDRESS = { kind: "address", id: "192.0.2.7" } as const;
const HEALTH = { kind: "health", id: "192.0.2.7" } as const;

/** Commands for the Redis itself. */
async function ask<T>(url: string, question: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url);
  return question(client).finally(() => client.disconnect());
}

describe("a limiter that counts in Redis", needs("redis-server"), () => {
  const redis = sharedRedis();

  it("writes keys that tell the limit and the window, expire, and hold neither API keys nor addresses", async () => {
    const { limiter } = await redisLimiter(redis().url, 11);
    const prefix = "appvars:rate-limit:11:600:";
    for (const counter of [KEY, ADDRESS, HEALTH]) await limiter.count(counter);
    const found = await ask(redis().url, async (client) => {
      const keys = await client.keys(`${prefix}*`);
      return Promise.all(
        keys.sort().map(async (key) => [key.slice(prefix.length), await client.pttl(key)] as const),
      );
    });
    expect(found.map(([key]) => key.replace(/:[0-9a-f]{32}$/, ":HASH"))).toEqual([
      "address:HASH",
      "check",
      "health:HASH",
      "key:HASH",
    ]);
    for (const [, timeLeft] of found)
      expect([timeLeft > 0, timeLeft <= WINDOW * 1_000]).toEqual([true, true]);
  });

  it("counts after Redis has forgotten the script", async () => {
    const { problems, remaining } = await redisLimiter(redis().url, 12);
    expect(await remaining()).toBe(11);
    await ask(redis().url, (client) => client.script("FLUSH"));
    expect([await remaining(), problems]).toEqual([10, [undefined]]);
  });

  it("logs in, and uses the database of the URL", async () => {
    const { url } = await startRedis({ password: "hunter2" });
    const withLogin = `${url.replace("//", "//:hunter2@")}/3`;
    const { remaining } = await redisLimiter(withLogin, 13);
    expect(await remaining()).toBe(12);
    expect(await ask(withLogin, (client) => client.dbsize())).toBe(2);
  });

  it("says that a login is refused, or that there is no such database, without the password", async () => {
    const { url } = await startRedis({ password: "secret" });
    const refused = "refuses the user or password";
    const { problems: wrong } = await redisLimiter(url.replace("//", "//:hunter2@"), 14);
    const { problems: none } = await redisLimiter(url, 14);
    const { problems: database } = await redisLimiter(`${redis().url}/99`, 14);
    expect([...wrong, ...none, ...database]).toEqual([
      { what: refused, detail: "WRONGPASS" },
      { what: refused, detail: "NOAUTH" },
      { what: "has no such database" },
    ]);
  });

  it("does not trust the certificate of a stranger", async () => {
    const { url } = await startRedis({ tls: true });
    const { problems } = await redisLimiter(url, 15);
    expect(problems).toEqual([{ what: "can't be reached", detail: "DEPTH_ZERO_SELF_SIGNED_CERT" }]);
  });

  it.each([
    ["READONLY", ["REPLICAOF", "127.0.0.1", "1"], ["REPLICAOF", "NO", "ONE"]],
    ["OOM", ["CONFIG", "SET", "maxmemory", "1"], ["CONFIG", "SET", "maxmemory", "0"]],
  ])(
    "counts here while Redis answers %s, and there again afterwards",
    async (code, [fail = "", ...failWords], heal) => {
      const { url } = await startRedis();
      const { limiter, problems, remaining } = await redisLimiter(url, 16);
      expect(await remaining()).toBe(15);
      await ask(url, (client) => client.call(fail, ...failWords));
      expect(await remaining()).toBe(15);
      expect(problems).toEqual([undefined, { what: "does not count requests", detail: code }]);
      await ask(url, (client) => client.call(heal[0] as string, ...heal.slice(1)));
      await expect.poll(() => limiter.isStoreUp).toBe(true);
      expect(problems).toHaveLength(3);
    },
  );

  it("counts here after 200 ms while Redis hangs, later requests at once, and there again afterwards", async () => {
    const { url, process } = await startRedis();
    const { limiter, remaining } = await redisLimiter(url, 20);
    expect(await remaining()).toBe(19);
    process.pause();
    const startedAt = performance.now();
    const results = await Promise.all(Array.from({ length: 10 }, remaining));
    // 200 ms, and the delay of a busy machine.
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(results).toEqual([19, 18, 17, 16, 15, 14, 13, 12, 11, 10]);
    const askedAt = performance.now();
    await limiter.count(KEY);
    expect(performance.now() - askedAt).toBeLessThan(100);
    process.resume();
    await expect.poll(() => limiter.isStoreUp).toBe(true);
    // Requests sent to it while it was hung may have arrived.
    expect(await remaining()).toBeLessThan(19);
  });

  it("connects again after a link was cut off without a word", async () => {
    const proxy = await tcpProxy(redis().port);
    const { limiter, problems, remaining } = await redisLimiter(
      `redis://127.0.0.1:${proxy.port}`,
      17,
    );
    expect(await remaining()).toBe(16);
    proxy.blackhole();
    expect(await remaining()).toBe(16);
    await proxy.cut();
    await proxy.heal();
    await expect.poll(() => limiter.isStoreUp).toBe(true);
    expect(await remaining()).toBe(15);
    expect(problems).toEqual([
      undefined,
      expect.objectContaining({ what: "can't be reached" }),
      undefined,
    ]);
  });

  it("notices at once that Redis has ended, and counts there once it is back", async () => {
    const { url, process } = await startRedis();
    const { limiter, problems, remaining } = await redisLimiter(url, 18);
    expect(await remaining()).toBe(17);
    await process.kill();
    await expect.poll(() => limiter.isStoreUp).toBe(false);
    expect([await remaining(), await remaining()]).toEqual([17, 16]);
    await process.start();
    await expect.poll(() => limiter.isStoreUp).toBe(true);
    expect(await remaining()).toBe(17);
    expect(problems).toHaveLength(3);
  });
});
