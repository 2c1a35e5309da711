import { describe, expect, it, onTestFinished, vi } from "vitest";
import { get } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";
import { stubbedServer } from "../../support/stubbed-server.js";

const STALE = "the data file could not be read again; the last good data is being served";

describe("/healthz", () => {
  it("answers OK with the uptime in seconds and the time", async () => {
    let now = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
    let ticks = 0;
    const server = await stubbedServer({ clock: () => now, ticks: () => ticks });
    now += 12_345;
    ticks += 12_345;
    const { status, json, headers } = await get(server, "/healthz", {});
    expect({ status, json }).toStrictEqual({
      status: 200,
      json: { uptime: 12.345, message: "OK", date: "2026-01-02T03:04:17.351Z" },
    });
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
  });

  it("contains the time of the machine's clock", async () => {
    const before = Date.now();
    const { json } = await get(await runningServer(), "/healthz", {});
    const { uptime, message, date } = json as { uptime: number; message: string; date: string };
    expect(message).toBe("OK");
    expect(date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(date)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(date)).toBeLessThanOrEqual(Date.now());
    expect(uptime).toBeGreaterThanOrEqual(0);
  });

  it("and the rate limit use a monotonic clock: the time of day may be set back", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await runningServer({ rateWindow: 10 });
    await get(server, "/healthz", {});
    vi.setSystemTime(Date.now() - 3_600_000);
    const { json, headers } = await get(server, "/healthz", {});
    expect((json as { uptime: number }).uptime).toBeGreaterThanOrEqual(0);
    expect(Number(headers["ratelimit-reset"])).toBeLessThanOrEqual(10);
  });

  it.each([
    ["no credentials", {}],
    ["wrong credentials", { "x-api-key": "dev-key", "x-api-secret": "wrong" }],
    ["a malformed signature", { authorization: "HMAC x" }],
  ])("needs no authentication: %s", async (_case, headers) => {
    const answer = await get(await runningServer(), "/healthz?x=1", headers);
    expect(answer).toMatchObject({ status: 200, json: { message: "OK" } });
    expect(answer.headers["www-authenticate"]).toBeUndefined();
  });

  it("answers 503 while the store has a problem, with the same fields and without naming it", async () => {
    const server = await stubbedServer({
      clock: () => 0,
      ticks: () => 0,
      store: { problem: 'values[0] (id 12) of "PORT"' },
    });
    const { status, json } = await get(server, "/healthz", {});
    expect({ status, json }).toStrictEqual({
      status: 503,
      json: { uptime: 0, message: STALE, date: "1970-01-01T00:00:00.000Z" },
    });
    expect(await get(server, "/v1/variables")).toMatchObject({ status: 200 });
  });

  it("has the age of data from a data store in a header, and answers 503 once it exceeds maxStale", async () => {
    const problem = "10.0.0.1:2379 refuses connections";
    const health = async (ageMs: number) => {
      const parts = {
        clock: () => 0,
        ticks: () => 0,
        store: { problem, age: ageMs, version: "7-write" },
      };
      const server = await stubbedServer({ options: { maxStale: 300_000 }, ...parts });
      const { status, json, headers } = await get(server, "/healthz", {});
      const age = headers["appvars-data-age"];
      // The same for an answer with data.
      expect((await get(server, "/v1/variables")).headers["appvars-data-age"]).toBe(age);
      return { status, json, age };
    };
    const body = (age: string) => {
      const message = `the data store could not be read again; the data being served is ${age} old`;
      return { uptime: 0, message, date: "1970-01-01T00:00:00.000Z" };
    };
    expect(await health(299_999)).toStrictEqual({ status: 200, json: body("4 min"), age: "299" });
    expect(await health(301_000)).toStrictEqual({ status: 503, json: body("5 min"), age: "301" });
    const { headers } = await get(await runningServer(), "/healthz", {});
    expect(headers).not.toHaveProperty("appvars-data-age");
  });
});
