import { describe, expect, it } from "vitest";
import { type Answer, DEV_HEADERS, get, raw, request } from "../support/http.js";
import { runningServer } from "../support/running-server.js";
import { signByHand } from "../support/sign-by-hand.js";

const TARGET = "/v1/variables";
const TEST_HEADERS = { "x-api-key": "test-key", "x-api-secret": "test-secret" };

const rateLimit = ({ headers }: Answer) =>
  ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "retry-after"].map((name) => headers[name]);

it("7,500 requests are allowed in 60 s by default", async () => {
  expect(rateLimit(await get(await runningServer(), TARGET))).toEqual(["7500", "7499", "60", undefined]);
});

it("each answer says how many requests are left", async () => {
  const server = await runningServer({ rateLimit: 3, rateWindow: 1_000 });
  const remaining = [];
  for (let i = 0; i < 4; i++) remaining.push((await get(server, TARGET)).headers["ratelimit-remaining"]);
  expect(remaining).toEqual(["2", "1", "0", "0"]);
});

describe("every answer carries the three headers", () => {
  it.each([
    { status: 200, method: "GET", target: TARGET, headers: DEV_HEADERS },
    { status: 200, method: "HEAD", target: TARGET, headers: DEV_HEADERS },
    { status: 200, method: "GET", target: "/healthz", headers: {} },
    { status: 304, method: "GET", target: TARGET, headers: { ...DEV_HEADERS, "if-none-match": "*" } },
    { status: 400, method: "GET", target: `${TARGET}?limit=0`, headers: DEV_HEADERS },
    { status: 400, method: "GET", target: "*", headers: {} },
    { status: 401, method: "GET", target: TARGET, headers: {} },
    { status: 404, method: "GET", target: "/v1/variables/999", headers: DEV_HEADERS },
    { status: 404, method: "GET", target: "/nothing", headers: {} },
    { status: 405, method: "POST", target: TARGET, headers: DEV_HEADERS },
    { status: 414, method: "GET", target: `/${"a".repeat(8_192)}`, headers: {} },
  ])("$status on $method", async ({ status, method, target, headers }) => {
    const answer = await request(await runningServer({ rateLimit: 9, rateWindow: 1_000 }), method, target, headers);
    expect(answer.status).toBe(status);
    expect(rateLimit(answer)).toEqual(["9", "8", "1000", undefined]);
  });

  it.each([
    { status: 400, bytes: "nonsense\r\n\r\n" },
    { status: 431, bytes: `GET / HTTP/1.1\r\nHost: a\r\nx: ${"a".repeat(17_000)}\r\n\r\n` },
  ])("$status from the parser", async ({ status, bytes }) => {
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
  ])("the answer is 429 in place of %s", async (_case, target, headers) => {
    const server = await runningServer({ rateLimit: 1, rateWindow: 1_000 });
    await get(server, target, headers);
    const answer = await get(server, target, headers);
    expect(answer).toMatchObject({ status: 429, json: MESSAGE });
    expect(Object.keys(answer.json as object)).toEqual(["message"]);
    expect(rateLimit(answer)).toEqual(["1", "0", "1000", "1000"]);
  });

  it("what the parser refuses is answered 429 too", async () => {
    const server = await runningServer({ rateLimit: 1, rateWindow: 1_000 });
    await raw(server, "nonsense\r\n\r\n");
    const answer = await raw(server, "nonsense\r\n\r\n");
    expect(answer).toMatchObject({ status: 429, json: MESSAGE });
    expect(rateLimit(answer)).toEqual(["1", "0", "1000", "1000"]);
  });

  it("requests are taken again after the window", async () => {
    const server = await runningServer({ rateLimit: 1, rateWindow: 1 });
    await get(server, TARGET);
    const refused = await get(server, TARGET);
    expect(refused).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
    await expect.poll(async () => (await get(server, TARGET)).status, { timeout: 5_000 }).toBe(200);
  });
});

describe("who shares a counter", () => {
  /** A server on which DEV_HEADERS, or else this address, has used up its limit of 1. */
  async function serverAfter(...headersOfRequests: Record<string, string>[]) {
    const server = await runningServer({ rateLimit: 1, rateWindow: 1_000 });
    for (const headers of headersOfRequests) await get(server, TARGET, headers);
    return server;
  }
  const signed = (secret: string) => ({ authorization: signByHand({ secret, route: TARGET }) });

  it.each([
    ["key and secret, and a signature with the key", { "x-api-key": "dev-key", ...signed("dev-secret") }, 429],
    ["key and secret, and a signature alone", signed("dev-secret"), 429],
    ["one key, but not another", TEST_HEADERS, 200],
    ["one key, but not another's signature", signed("test-secret"), 200],
    ["one key, but not requests without credentials", {}, 401],
  ])("%s", async (_case, headers, status) => {
    expect(await get(await serverAfter(DEV_HEADERS), TARGET, headers)).toMatchObject({ status });
  });

  it.each([
    ["a wrong secret", { "x-api-key": "dev-key", "x-api-secret": "wrong" }],
    ["a wrong signature", { "x-api-key": "dev-key", ...signed("wrong") }],
    ["the key alone", { "x-api-key": "dev-key" }],
  ])("nobody uses up the limit of a key with %s", async (_case, wrong) => {
    const server = await serverAfter(wrong, wrong);
    expect(await get(server, TARGET, wrong)).toMatchObject({ status: 429 });
    expect(await get(server, TARGET)).toMatchObject({ status: 200, headers: { "ratelimit-remaining": "0" } });
  });

  it.each([
    ["none", TARGET, {}],
    ["wrong credentials", TARGET, { ...TEST_HEADERS, "x-api-secret": "wrong" }],
    ["a forwarded address", TARGET, { "x-forwarded-for": "10.0.0.1", forwarded: "for=10.0.0.1" }],
    ["health", "/healthz", {}],
  ])("all requests of an address without valid credentials do: %s", async (_case, target, headers) => {
    expect(await get(await serverAfter({}), target, headers)).toMatchObject({ status: 429 });
  });

  it("two addresses don't", async () => {
    const server = await serverAfter({});
    const elsewhere = await request(server, "GET", TARGET, {}, { localAddress: "127.0.0.2" });
    expect(elsewhere).toMatchObject({ status: 401 });
  });
});

it("a limit of 0 turns it off", async () => {
  const server = await runningServer({ rateLimit: 0 });
  const answers = await Promise.all(Array.from({ length: 20 }, () => get(server, TARGET)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(answers.map(rateLimit)).toEqual(answers.map(() => [undefined, undefined, undefined, undefined]));
});
