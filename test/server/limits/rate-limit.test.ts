import { describe, expect, it } from "vitest";
import { type Answer, DEV_HEADERS, get, raw, request } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";
import { signByHand } from "../../support/sign-by-hand.js";
import { stubbedServer } from "../../support/stubbed-server.js";

const TARGET = "/v1/variables";
const TEST_HEADERS = { "x-api-key": "test-key", "x-api-secret": "test-secret" };

const rateLimit = ({ headers }: Answer) =>
  ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "retry-after"].map(
    (name) => headers[name],
  );

it("7,500 requests are allowed in 60 s by default", async () => {
  expect(rateLimit(await get(await runningServer(), TARGET))).toEqual([
    "7500",
    "7499",
    "60",
    undefined,
  ]);
});

it("each answer has the number of requests left", async () => {
  const server = await runningServer({ rateLimit: 3, rateWindow: 1_000 });
  const remaining = [];
  for (let i = 0; i < 4; i++)
    remaining.push((await get(server, TARGET)).headers["ratelimit-remaining"]);
  expect(remaining).toEqual(["2", "1", "0", "0"]);
});

describe("RateLimit headers are sent", () => {
  it.each([
    { status: 200, method: "GET", target: TARGET, headers: DEV_HEADERS },
    { status: 200, method: "HEAD", target: TARGET, headers: DEV_HEADERS },
    { status: 200, method: "GET", target: "/healthz", headers: {} },
    {
      status: 304,
      method: "GET",
      target: TARGET,
      headers: { ...DEV_HEADERS, "if-none-match": "*" },
    },
    { status: 400, method: "GET", target: `${TARGET}?limit=0`, headers: DEV_HEADERS },
    { status: 400, method: "GET", target: "*", headers: {} },
    { status: 401, method: "GET", target: TARGET, headers: {} },
    { status: 404, method: "GET", target: "/v1/variables/999", headers: DEV_HEADERS },
    { status: 404, method: "GET", target: "/nothing", headers: {} },
    { status: 405, method: "POST", target: TARGET, headers: DEV_HEADERS },
    { status: 414, method: "GET", target: `/${"a".repeat(8_192)}`, headers: {} },
  ])("with $status on $method", async ({ status, method, target, headers }) => {
    const answer = await request(
      await runningServer({ rateLimit: 9, rateWindow: 1_000 }),
      method,
      target,
      headers,
    );
    expect(answer.status).toBe(status);
    expect(rateLimit(answer)).toEqual(["9", "8", "1000", undefined]);
  });

  it.each([
    { status: 400, bytes: "nonsense\r\n\r\n" },
    { status: 431, bytes: `GET / HTTP/1.1\r\nHost: a\r\nx: ${"a".repeat(17_000)}\r\n\r\n` },
  ])("with $status from the parser", async ({ status, bytes }) => {
    const answer = await raw(await runningServer({ rateLimit: 9, rateWindow: 1_000 }), bytes);
    expect(answer.status).toBe(status);
    expect(rateLimit(answer)).toEqual(["9", "8", "1000", undefined]);
  });
});

describe("over the limit", () => {
  const MESSAGE = { message: "Too many requests, try again later" };

  it.each([
    ["data", TARGET, DEV_HEADERS],
    ["a refusal of credentials", TARGET, {}],
    ["health", "/healthz", {}],
    ["a bad target", "*", {}],
  ])(
    "a request over the limit is answered with 429 instead of %s",
    async (_case, target, headers) => {
      const server = await runningServer({ rateLimit: 1, rateWindow: 1_000 });
      await get(server, target, headers);
      const answer = await get(server, target, headers);
      expect(answer).toMatchObject({ status: 429, json: MESSAGE });
      expect(Object.keys(answer.json as object)).toEqual(["message"]);
      expect(rateLimit(answer)).toEqual(["1", "0", "1000", "1000"]);
    },
  );

  it("requests that the parser refuses are answered 429 too", async () => {
    const server = await runningServer({ rateLimit: 1, rateWindow: 1_000 });
    await raw(server, "nonsense\r\n\r\n");
    const answer = await raw(server, "nonsense\r\n\r\n");
    expect(answer).toMatchObject({ status: 429, json: MESSAGE });
    expect(rateLimit(answer)).toEqual(["1", "0", "1000", "1000"]);
  });

  it("requests are accepted again after the window", async () => {
    let now = 0;
    const server = await stubbedServer({
      ticks: () => now,
      options: { rateLimit: 1, rateWindow: 60 },
    });
    await get(server, TARGET);
    expect(await get(server, TARGET)).toMatchObject({
      status: 429,
      headers: { "retry-after": "60" },
    });
    now += 60_000;
    expect(await get(server, TARGET)).toMatchObject({ status: 200 });
  });
});

describe("a rate limit counter", () => {
  /** A server on which DEV_HEADERS, or else this address, has used up its limit of 1. */
  async function serverAfter(...headersOfRequests: Record<string, string>[]) {
    const server = await runningServer({ rateLimit: 1, rateWindow: 1_000 });
    for (const headers of headersOfRequests) await get(server, TARGET, headers);
    return server;
  }
  const signed = (secret: string) => ({ authorization: signByHand({ secret, route: TARGET }) });

  it.each([
    [
      "key and secret, and a signature with the key",
      { "x-api-key": "dev-key", ...signed("dev-secret") },
      429,
    ],
    ["key and secret, and a signature alone", signed("dev-secret"), 429],
    ["one key, but not another", TEST_HEADERS, 200],
    ["one key, but not another's signature", signed("test-secret"), 200],
    ["one key, but not requests without credentials", {}, 401],
  ])("belongs to %s", async (_case, headers, status) => {
    expect(await get(await serverAfter(DEV_HEADERS), TARGET, headers)).toMatchObject({ status });
  });

  it.each([
    ["a wrong secret", { "x-api-key": "dev-key", "x-api-secret": "wrong" }],
    ["a wrong signature", { "x-api-key": "dev-key", ...signed("wrong") }],
    ["the key alone", { "x-api-key": "dev-key" }],
  ])("the rate limit counter of a key is not affected by %s", async (_case, wrong) => {
    const server = await serverAfter(wrong, wrong);
    expect(await get(server, TARGET, wrong)).toMatchObject({ status: 429 });
    expect(await get(server, TARGET)).toMatchObject({
      status: 200,
      headers: { "ratelimit-remaining": "0" },
    });
  });

  it.each([
    ["none", TARGET, {}],
    ["wrong credentials", TARGET, { ...TEST_HEADERS, "x-api-secret": "wrong" }],
    ["a forwarded address", TARGET, { "x-forwarded-for": "10.0.0.1", forwarded: "for=10.0.0.1" }],
    ["a malformed target, with a valid key", "/v1/%zz", DEV_HEADERS],
  ])(
    "the rate limit counter of an address counts all requests without valid credentials: %s",
    async (_case, target, headers) => {
      expect(await get(await serverAfter({}), target, headers)).toMatchObject({ status: 429 });
    },
  );

  it("/healthz has a rate limit counter of its own", async () => {
    const server = await serverAfter({}, {}, DEV_HEADERS, DEV_HEADERS);
    expect(await get(server, "/healthz", {})).toMatchObject({
      status: 200,
      headers: { "ratelimit-remaining": "0" },
    });
    expect(await get(server, "/healthz?x", DEV_HEADERS)).toMatchObject({ status: 429 });

    const probed = await runningServer({ rateLimit: 1, rateWindow: 1_000 });
    for (let i = 0; i < 3; i++) await get(probed, "/healthz", DEV_HEADERS);
    expect(await get(probed, TARGET)).toMatchObject({ status: 200 });
    expect(await get(probed, TARGET, {})).toMatchObject({ status: 401 });
  });

  it("is not shared by two addresses", async () => {
    const server = await serverAfter({});
    const elsewhere = await request(server, "GET", TARGET, {}, { localAddress: "127.0.0.2" });
    expect(elsewhere).toMatchObject({ status: 401 });
  });
});

it("a rate limit of 0 turns it off", async () => {
  const server = await runningServer({ rateLimit: 0 });
  const answers = await Promise.all(Array.from({ length: 20 }, () => get(server, TARGET)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(answers.map(rateLimit)).toEqual(
    answers.map(() => [undefined, undefined, undefined, undefined]),
  );
});
