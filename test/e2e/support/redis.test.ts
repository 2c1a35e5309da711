import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { needs } from "../../support/needed-program.js";
import { sharedRedis, startRedis } from "../../support/redis.js";
import { tcpProxy } from "../../support/tcp-proxy.js";
import { TLS } from "../../support/tls.js";

const OPTIONS = { lazyConnect: true, retryStrategy: null, commandTimeout: 300 };

describe("a Redis", needs("redis-server"), () => {
  const redis = sharedRedis();

  it("is empty after it was killed", async () => {
    await using(redis().url, {}, (client) => client.set("key", "value"));
    await redis().process.kill();
    await redis().process.start();
    expect(await using(redis().url, {}, (client) => client.get("key"))).toBeNull();
  });

  it("does not answer while it is paused, and goes on", async () => {
    await using(redis().url, {}, async (client) => {
      expect(await client.ping()).toBe("PONG");
      redis().process.pause();
      await expect(client.ping()).rejects.toThrow("timed out");
      redis().process.resume();
      expect(await client.ping()).toBe("PONG");
    });
  });

  it("asks for a password, over TLS", async () => {
    const { url } = await startRedis({ tls: true, password: "secret" });
    const tls = { ca: TLS.cert };
    expect(await using(url, { tls, password: "secret" }, (client) => client.ping())).toBe("PONG");
    await expect(using(url, { tls }, (client) => client.ping())).rejects.toThrow("NOAUTH");
  });

  it("is cut off and black-holed by a proxy", async () => {
    const proxy = await tcpProxy(redis().port);
    const url = `redis://127.0.0.1:${proxy.port}`;
    await using(url, {}, async (client) => {
      expect(await client.ping()).toBe("PONG");
      proxy.blackhole();
      await expect(client.set("late", "value")).rejects.toThrow("timed out");
      expect(await using(redis().url, {}, (other) => other.get("late"))).toBeNull();
      await proxy.heal();
      expect(await client.get("late")).toBe("value");
      expect(proxy.connections).toBe(1);
      await proxy.cut();
      await expect(client.ping()).rejects.toThrow("closed");
      await expect(client.connect()).rejects.toThrow("closed");
    });
    await proxy.heal();
    expect(await using(url, {}, (client) => client.ping())).toBe("PONG");
  });
});

async function using<T>(
  url: string,
  options: object,
  use: (client: Redis) => Promise<T>,
): Promise<T> {
  const client = new Redis(url, { ...OPTIONS, ...options });
  client.on("error", () => {});
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}
