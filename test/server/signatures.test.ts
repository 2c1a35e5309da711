import { describe, expect, it } from "vitest";
import { get } from "../support/http.js";
import { runningServer } from "../support/running-server.js";
import { type HandSigned, md5, signByHand } from "../support/sign-by-hand.js";
import { stubbedServer } from "../support/stubbed-server.js";

const TARGET = "/v1/variables-values-by-name/%44EBUG/content?a=%62&c";

/** The status of a request for TARGET that is signed like this. */
async function statusWhenSigned(parts: Partial<HandSigned>): Promise<number> {
  const authorization = signByHand({ secret: "dev-secret", route: TARGET, ...parts });
  const { status } = await get(await runningServer(), TARGET, { "x-api-key": "dev-key", authorization });
  return status;
}

describe("the signed parts", () => {
  it.each<[string, Partial<HandSigned>]>([
    ["the target exactly as sent", {}],
    ["the target without its query", { route: "/v1/variables-values-by-name/%44EBUG/content" }],
    ["the decoded path with the query", { route: "/v1/variables-values-by-name/DEBUG/content?a=%62&c" }],
    ["the decoded path without the query", { route: "/v1/variables-values-by-name/DEBUG/content" }],
    ["the MD5 of {}", { bodyHash: "99914b932bd37a50b983c5e7c90ae93b" }],
    ["no body hash", { bodyHash: "" }],
    ["neither query nor body hash", { route: "/v1/variables-values-by-name/%44EBUG/content", bodyHash: "" }],
  ])("may be %s", async (_case, parts) => {
    expect(await statusWhenSigned(parts)).toBe(200);
  });

  it.each<[string, Partial<HandSigned>]>([
    ["another query", { route: "/v1/variables-values-by-name/%44EBUG/content?a=%62" }],
    ["a decoded query", { route: "/v1/variables-values-by-name/DEBUG/content?a=b&c" }],
    ["an empty query", { route: "/v1/variables-values-by-name/%44EBUG/content?" }],
    ["another path", { route: "/v1/variables-values-by-name/DEBUG" }],
    ["the path in another case", { route: "/v1/variables-values-by-name/debug/content" }],
    ["an absolute URL", { route: `http://127.0.0.1${TARGET}` }],
    ["no route", { route: "" }],
    ["another method", { method: "POST" }],
    ["the method in lower case", { method: "get" }],
    ["the MD5 of nothing", { bodyHash: md5("") }],
    ["the MD5 of {} in upper case", { bodyHash: md5("{}").toUpperCase() }],
    ["the body itself", { bodyHash: "{}" }],
  ])("can't be %s", async (_case, parts) => {
    expect(await statusWhenSigned(parts)).toBe(401);
  });

  it("are decoded once only", async () => {
    const authorization = signByHand({ secret: "dev-secret", route: "/v1/variables-values-by-name/DEBUG" });
    const answer = await get(await runningServer(), "/v1/variables-values-by-name/%2544EBUG", { authorization });
    expect(answer).toMatchObject({ status: 401 });
  });
});

describe("the timestamp", () => {
  const NOW = 1_700_000_000_000;
  const statusOf = async (age: number, tolerance = {}) => {
    const server = await stubbedServer({ clock: () => NOW, options: { tolerance } });
    const authorization = signByHand({ secret: "dev-secret", route: "/v1/variables", timestamp: NOW - age * 1_000 });
    const { status } = await get(server, "/v1/variables", { "x-api-key": "dev-key", authorization });
    return status;
  };

  it.each([
    [0, 200],
    [300, 200],
    [300.001, 401],
    [-60, 200],
    [-60.001, 401],
  ])("that is %d s old answers %d", async (age, status) => {
    expect(await statusOf(age)).toBe(status);
  });

  it.each([
    { tolerance: { past: 10 }, age: 10, status: 200 },
    { tolerance: { past: 10 }, age: 10.001, status: 401 },
    { tolerance: { past: 10 }, age: -60, status: 200 },
    { tolerance: { future: 5 }, age: -5, status: 200 },
    { tolerance: { future: 5 }, age: -5.001, status: 401 },
    { tolerance: { future: 5 }, age: 300, status: 200 },
    { tolerance: { past: 0, future: 0 }, age: 0, status: 200 },
    { tolerance: { past: 0, future: 0 }, age: 0.001, status: 401 },
  ])("within $tolerance that is $age s old answers $status", async ({ tolerance, age, status }) => {
    expect(await statusOf(age, tolerance)).toBe(status);
  });

  it.each([
    [290, 200],
    [310, 401],
    [-50, 200],
    [-70, 401],
  ])("is held against the machine's clock: %d s old answers %d", async (age, status) => {
    expect(await statusWhenSigned({ timestamp: Date.now() - age * 1_000 })).toBe(status);
  });
});

describe("the form of the header", () => {
  // Any time will do, so that a number with too few or too many digits is refused for its form alone.
  const tolerance = { past: 1e15, future: 1e15 };
  const statusOf = async (authorization: string) => {
    const server = await runningServer({ tolerance });
    return (await get(server, TARGET, { "x-api-key": "dev-key", authorization })).status;
  };
  const sign = (timestamp: string) => signByHand({ secret: "dev-secret", route: TARGET, timestamp });
  const GOOD = sign("1700000000000");

  it("is HMAC, a space, 13 digits, a colon and 64 lowercase hex digits", async () => {
    expect(await statusOf(GOOD)).toBe(200);
  });

  it.each([
    ["the scheme in lower case", GOOD.replace("HMAC", "hmac")],
    ["another scheme", GOOD.replace("HMAC", "Bearer")],
    ["no scheme", GOOD.replace("HMAC ", "")],
    ["two spaces", GOOD.replace(" ", "  ")],
    ["a tab", GOOD.replace(" ", "\t")],
    ["12 digits", sign("170000000000")],
    ["14 digits", sign("17000000000000")],
    ["a leading zero", sign("01700000000000")],
    ["a sign", sign("+170000000000")],
    ["hex digits in the time", sign("0x18bcfe56800")],
    ["a space after the colon", GOOD.replace(":", ": ")],
    ["no colon", GOOD.replace(":", "")],
    ["upper-case hex", GOOD.replace(/:.*/, (hex) => hex.toUpperCase())],
    ["63 hex digits", GOOD.slice(0, -1)],
    ["62 hex digits", GOOD.slice(0, -2)],
    ["65 hex digits", `${GOOD}0`],
    ["66 hex digits", `${GOOD}00`],
    ["no signature", "HMAC 1700000000000:"],
    ["something before it", `x ${GOOD}`],
    ["something after it", `${GOOD} x`],
    ["two in one header", `${GOOD}, ${GOOD}`],
    ["letters that are no hex digits", `HMAC 1700000000000:${"g".repeat(64)}`],
  ])("is refused with %s", async (_case, authorization) => {
    expect(await statusOf(authorization)).toBe(401);
  });
});
