import { afterEach, describe, expect, it, vi } from "vitest";
import type { ServeOptions } from "../../../src/library/local-server.js";
import { HmacKey } from "../../../src/signing/verify.js";
import { get, type Headers, raw } from "../../support/http.js";
import { aRecord } from "../../support/records.js";
import { runningServer } from "../../support/running-server.js";
import { signByHand } from "../../support/sign-by-hand.js";

afterEach(() => void vi.restoreAllMocks());

const HUNDRED = {
  version: 1,
  environments: Array.from({ length: 100 }, (_, index) => ({
    id: index + 1,
    application: "shop",
    name: `environment-${index}`,
    api_key: `key-${index}`,
    api_secret: `secret-${index}`,
  })),
  variables: [aRecord({ id: 1, type: "NUMBER", name: "PORT" })],
  values: [],
};
/**
 * Its path decodes to another, and it has a query: a signature may cover four routes, with and
 * without a hash.
 */
const TARGET = "/v1/%76ariables?x=1";

/**
 * A server with 100 environments whose clock for budgets stands still, so that none of them
 * refills.
 */
async function serverInNoTime(options: Partial<ServeOptions> = {}) {
  vi.spyOn(performance, "now").mockReturnValue(1_000);
  return runningServer({ data: HUNDRED, ...options });
}

const forged = (timestamp = Date.now()) => ({
  authorization: `HMAC ${timestamp}:${"0".repeat(64)}`,
});

/** The number of HMACs that the server computes in the meantime. */
async function hmacsFor(work: () => Promise<unknown>): Promise<number> {
  const sign = vi.spyOn(HmacKey.prototype, "sign");
  await work();
  const hmacs = sign.mock.calls.length;
  sign.mockRestore();
  return hmacs;
}

describe("no HMAC is computed for a request that can be refused without one:", () => {
  it.each<[string, number, string, Headers]>([
    ["a target of more than 8 KiB", 414, TARGET.padEnd(8_193, "x"), forged()],
    ["the same with a key", 414, TARGET.padEnd(8_193, "x"), { ...forged(), "x-api-key": "key-1" }],
    ["a target of more than 1 KiB without a key", 401, TARGET.padEnd(1_025, "x"), forged()],
    ["a target that is no path", 400, "*", forged()],
    [
      "a target with broken percent-encoding",
      400,
      "/v1/%zz",
      { ...forged(), "x-api-key": "key-1" },
    ],
    ["an old timestamp", 401, TARGET, forged(Date.now() - 301_000)],
    [
      "an old timestamp with a key",
      401,
      TARGET,
      { ...forged(Date.now() - 301_000), "x-api-key": "key-1" },
    ],
    ["a timestamp in the future", 401, TARGET, forged(Date.now() + 120_000)],
    ["a malformed header", 401, TARGET, { authorization: `HMAC ${Date.now()}:${"0".repeat(63)}` }],
    [
      "two Authorization headers",
      401,
      TARGET,
      { authorization: [forged().authorization, forged().authorization] },
    ],
    ["/healthz, which needs no credentials", 200, "/healthz", forged()],
  ])("%s: %d", async (_what, status, target, headers) => {
    const server = await serverInNoTime();
    const hmacs = await hmacsFor(async () =>
      expect((await get(server, target, headers)).status).toBe(status),
    );
    expect(hmacs).toBe(0);
  });

  it.each([
    ["no Host", ""],
    ["two Host headers", "Host: a\r\nHost: b\r\n"],
  ])("%s: 400", async (_what, hosts) => {
    const server = await serverInNoTime();
    const bytes = `GET ${TARGET} HTTP/1.1\r\n${hosts}Authorization: ${forged().authorization}\r\n\r\n`;
    expect(await hmacsFor(async () => expect((await raw(server, bytes)).status).toBe(400))).toBe(0);
  });
});

describe("a request with a key", () => {
  it.each(["key-1", "unknown"])(
    "causes the same work whether the key exists or not: %s",
    async (key) => {
      const server = await serverInNoTime();
      expect(await hmacsFor(() => get(server, TARGET, { ...forged(), "x-api-key": key }))).toBe(8);
      expect(
        await hmacsFor(() => get(server, "/v1/variables", { ...forged(), "x-api-key": key })),
      ).toBe(2);
    },
  );

  it("and a long target causes no work after its address's limit is used up", async () => {
    const server = await serverInNoTime({ rateLimit: 1 });
    const target = `/v1/%76ariables?x=${"a".repeat(2_000)}`;
    const statuses: number[] = [];
    const ask = async () =>
      statuses.push((await get(server, target, { ...forged(), "x-api-key": "key-1" })).status);
    expect([await hmacsFor(ask), await hmacsFor(ask)]).toEqual([8, 0]);
    expect(statuses).toEqual([401, 429]);
  });

  it("is served even if others have used up its address's limit and searches", async () => {
    const server = await serverInNoTime({ rateLimit: 8 });
    for (let i = 0; i < 9; i++) await get(server, TARGET, forged());
    expect(await get(server, TARGET, forged())).toMatchObject({ status: 429 });
    const authorization = signByHand({ secret: "secret-7", route: "/v1/variables" });
    const headers = { "x-api-key": "key-7", authorization };
    expect(await get(server, "/v1/variables", headers)).toMatchObject({ status: 200 });
  });
});

describe("forged signatures without a key", () => {
  const SEARCH = 100 * 8;

  it.each([
    ["with the default rate limit", {}],
    ["with no rate limit", { rateLimit: 0 }],
  ])(
    "from one address cause at most the HMACs of a second's budget, %s",
    async (_case, options) => {
      const server = await serverInNoTime(options);
      const statuses = new Map<number, number>();
      const hmacs = await hmacsFor(async () => {
        for (let i = 0; i < 100; i++) {
          const { status } = await get(server, TARGET, forged());
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      });
      // 2,500 a second for one address: the fourth search is accepted while less than a second of
      // work is ahead.
      expect(hmacs).toBe(4 * SEARCH);
      expect(Object.fromEntries(statuses)).toEqual({ 401: 4, 429: 96 });
    },
  );

  it("cause no HMAC after the address's rate limit is used up", async () => {
    const server = await serverInNoTime({ rateLimit: 2 });
    expect(await hmacsFor(() => get(server, TARGET, forged()))).toBe(SEARCH);
    expect(await hmacsFor(() => get(server, TARGET, forged()))).toBe(SEARCH);
    for (let i = 0; i < 3; i++) {
      const hmacs = await hmacsFor(async () =>
        expect((await get(server, TARGET, forged())).status).toBe(429),
      );
      expect(hmacs).toBe(0);
    }
  });

  it("that are not checked get a 429 with Retry-After and advice", async () => {
    const server = await serverInNoTime();
    for (let i = 0; i < 4; i++) await get(server, TARGET, forged());
    const { status, json, headers } = await get(server, TARGET, forged());
    expect({ status, json }).toStrictEqual({
      status: 429,
      json: { message: "Too many requests without x-api-key, try again later or send it" },
    });
    expect(headers).toMatchObject({
      "ratelimit-limit": "7500",
      "ratelimit-remaining": "0",
      "retry-after": "1",
    });
  });

  it("that are not checked get no RateLimit headers without a limit", async () => {
    const server = await serverInNoTime({ rateLimit: 0 });
    for (let i = 0; i < 4; i++) await get(server, TARGET, forged());
    const { status, headers } = await get(server, TARGET, forged());
    const names = Object.keys(headers).filter((name) => /^ratelimit-|^retry-after/.test(name));
    expect([status, names]).toEqual([429, ["retry-after"]]);
  });

  it("do not block a client whose address has signed without a key before", async () => {
    const server = await serverInNoTime({ rateLimit: 0 });
    const honest = () =>
      get(server, "/v1/variables", {
        authorization: signByHand({ secret: "secret-99", route: "/v1/variables" }),
      });
    expect((await honest()).status).toBe(200);
    for (let i = 0; i < 20; i++) await get(server, TARGET, forged());
    expect((await get(server, TARGET, forged())).status).toBe(429);
    const hmacs = await hmacsFor(async () => expect((await honest()).status).toBe(200));
    expect(hmacs).toBe(1);
  });
});
