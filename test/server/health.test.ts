import { describe, expect, it } from "vitest";
import { get } from "../support/http.js";
import { runningServer } from "../support/running-server.js";
import { stubbedServer } from "../support/stubbed-server.js";

describe("/healthz", () => {
  it("says OK, for how many seconds the server has run and what time it is", async () => {
    let now = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
    const server = await stubbedServer({ clock: () => now });
    now += 12_345;
    const { status, json, headers } = await get(server, "/healthz", {});
    expect({ status, json }).toStrictEqual({
      status: 200,
      json: { uptime: 12.345, message: "OK", date: "2026-01-02T03:04:17.351Z" },
    });
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
  });

  it("goes by the machine's clock", async () => {
    const before = Date.now();
    const { json } = await get(await runningServer(), "/healthz", {});
    const { uptime, message, date } = json as { uptime: number; message: string; date: string };
    expect(message).toBe("OK");
    expect(date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(date)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(date)).toBeLessThanOrEqual(Date.now());
    expect(uptime).toBeGreaterThanOrEqual(0);
    expect(uptime).toBeLessThanOrEqual((Date.now() - before) / 1_000);
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

  it("answers 503 with what is wrong while the store has a problem, in the same fields", async () => {
    const server = await stubbedServer({ clock: () => 0, store: { problem: "the store does not answer" } });
    const { status, json } = await get(server, "/healthz", {});
    expect({ status, json }).toStrictEqual({
      status: 503,
      json: { uptime: 0, message: "the store does not answer", date: "1970-01-01T00:00:00.000Z" },
    });
    expect(await get(server, "/v1/variables")).toMatchObject({ status: 200 });
  });
});
