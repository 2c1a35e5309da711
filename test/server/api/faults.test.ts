import { once } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Faults } from "../../../src/server/api/faults.js";
import type { ServerOptions } from "../../../src/server/start-server.js";
import { HELD, holdLatency } from "../../support/held-latency.js";
import { DEV_HEADERS, get, openSocket, request } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";
import { signByHand } from "../../support/sign-by-hand.js";

const TARGET = "/v1/variables";
const FAILED = "This failure is made on purpose, try again";

const serverWith = (faults: Faults, options: ServerOptions = {}) =>
  runningServer({ ...options, faults });

/** `Math.random` returns these numbers in turn, until the test ends. */
function mockRandom(...numbers: number[]): void {
  const random = vi.spyOn(Math, "random");
  for (const number of numbers) random.mockReturnValueOnce(number);
  onTestFinished(() => random.mockRestore());
}

describe("latency", () => {
  it("is random between the two bounds for each request", async () => {
    const server = await serverWith({ latency: { least: 10, most: 50 } });
    const timeouts = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => timeouts.mockRestore());
    mockRandom(0, 1, 0.25, 1, 0.5, 1);
    for (let i = 0; i < 3; i++) await get(server, TARGET);
    const latencies = timeouts.mock.calls.map(([, milliseconds]) => milliseconds);
    expect(latencies.filter((each) => [10, 20, 30].includes(each ?? 0))).toEqual([10, 20, 30]);
  });

  it.each([
    [200, TARGET, DEV_HEADERS, 9],
    [200, "/healthz", {}, 9],
    [401, TARGET, {}, 9],
    [404, "/nothing", {}, 9],
    [400, "*", {}, 9],
    [429, TARGET, DEV_HEADERS, 1],
  ])("delays an answer of %i on %s", async (status, target, headers, rateLimit) => {
    const { held } = holdLatency();
    const server = await runningServer({ ...HELD, rateLimit });
    const answerTo = async () => {
      const answer = get(server, target, headers);
      await vi.waitFor(() => expect(held).toHaveLength(1));
      held.shift()?.();
      return answer;
    };
    if (status === 429) await answerTo();
    expect(await answerTo()).toMatchObject({ status });
  });

  it("an answer arrives after a latency in real time", async () => {
    const server = await serverWith({ latency: { least: 5, most: 5 } });
    expect(await get(server, TARGET)).toMatchObject({ status: 200 });
  });

  it("does not keep a server from closing for longer than drainGrace", async () => {
    const { held } = holdLatency();
    const server = await runningServer({ ...HELD, drainGrace: 0.1 });
    const socket = await openSocket(server);
    socket.write(`GET ${TARGET} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await vi.waitFor(() => expect(held).toHaveLength(1));
    const closing = server.close();
    socket.destroy();
    await Promise.all([once(socket, "close"), closing]);
  });
});

describe("the failure rate", () => {
  it("is the share of requests that are answered with 503", async () => {
    const server = await serverWith({ failRate: 0.3 });
    mockRandom(0, 0.3, 0.29, 0.99);
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await get(server, TARGET)).status);
    expect(statuses).toEqual([503, 200, 503, 200]);
  });

  it.each([
    [0, 0, 200],
    [1, 0.999_999, 503],
  ])(
    "a request to a server with a failure rate of %i and the random number %d is answered with %i",
    async (failRate, number, status) => {
      const server = await serverWith({ failRate });
      mockRandom(number);
      expect(await get(server, TARGET)).toMatchObject({ status });
    },
  );

  it("an injected failure is a regular error, and counts as a request", async () => {
    const server = await serverWith({ failRate: 1 }, { rateLimit: 9, rateWindow: 1_000 });
    const { status, json, headers } = await get(server, TARGET);
    expect({ status, json }).toStrictEqual({ status: 503, json: { message: FAILED } });
    expect(headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "ratelimit-limit": "9",
      "ratelimit-remaining": "8",
      "ratelimit-reset": "1000",
    });
  });

  it("an injected failure of a HEAD request has no body", async () => {
    const answer = await request(await serverWith({ failRate: 1 }), "HEAD", TARGET, DEV_HEADERS);
    expect(answer).toMatchObject({ status: 503, body: "" });
  });

  it("an injected failure does not reveal whether credentials are valid", async () => {
    expect(await get(await serverWith({ failRate: 1 }), TARGET, {})).toMatchObject({ status: 503 });
  });

  it("applies after the rate limit", async () => {
    const server = await serverWith({ failRate: 1 }, { rateLimit: 1, rateWindow: 1_000 });
    await get(server, TARGET);
    expect(await get(server, TARGET)).toMatchObject({
      status: 429,
      headers: { "retry-after": "1000" },
    });
  });
});

describe("a clock skew", () => {
  const signedAt = (timestamp: number) => ({
    "x-api-key": "dev-key",
    authorization: signByHand({ secret: "dev-secret", route: TARGET, timestamp }),
  });

  it.each([400, -400])(
    "of %i s rejects signatures made at the true time, and accepts those made at the server's",
    async (clockSkew) => {
      const server = await serverWith({ clockSkew });
      const refused = await get(server, TARGET, signedAt(Date.now()));
      expect(refused).toMatchObject({
        status: 401,
        json: { message: "Credentials are missing or not valid" },
      });
      expect(await get(server, TARGET, signedAt(Date.now() + clockSkew * 1_000))).toMatchObject({
        status: 200,
      });
    },
  );

  it("does not affect a key and its secret", async () => {
    expect(await get(await serverWith({ clockSkew: 400 }), TARGET)).toMatchObject({ status: 200 });
  });

  it.each([400, -400])(
    "of %i s appears in /healthz and in the Date of every answer",
    async (clockSkew) => {
      const server = await serverWith({ clockSkew });
      const skewed = () => Date.now() + clockSkew * 1_000;
      const before = skewed();
      const health = await get(server, "/healthz", {});
      const refused = await get(server, TARGET, {});
      const { date, uptime } = health.json as { date: string; uptime: number };
      expect(Date.parse(date)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(date)).toBeLessThanOrEqual(skewed());
      expect(uptime).toBeLessThan(60);
      for (const { headers } of [health, refused]) {
        // The header has no milliseconds.
        expect(Date.parse(headers.date ?? "")).toBeGreaterThan(before - 1_000);
        expect(Date.parse(headers.date ?? "")).toBeLessThanOrEqual(skewed());
      }
    },
  );
});
