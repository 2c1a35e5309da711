import { describe, expect, it } from "vitest";
import { EMPTY_BODY_HASH, sign, type Tolerance } from "../../src/signing/sign.js";
import {
  hashSecret,
  type ReceivedRequest,
  secretMatches,
  signableRoutes,
  verify,
} from "../../src/signing/verify.js";

const NOW = 1_700_000_000_000;
const SECRET = "dev-secret";
const TARGET = "/v1/variables%20x?limit=2&q=%2f";

function signed(
  change: { timestamp?: number; method?: string; route?: string; bodyHash?: string } = {},
): string {
  return sign({ timestamp: NOW, method: "GET", route: TARGET, ...change }, SECRET);
}

function accepts(
  request: Partial<ReceivedRequest>,
  options: { secret?: string; tolerance?: Tolerance } = {},
): boolean {
  const { secret = SECRET, tolerance } = options;
  const received = { method: "GET", target: TARGET, authorization: signed(), ...request };
  return verify(received, secret, { now: NOW, ...(tolerance && { tolerance }) });
}

describe("verify()", () => {
  it.each([
    ["the target as sent", { route: TARGET }, true],
    ["the target without its query", { route: "/v1/variables%20x" }, true],
    ["the path decoded, with the query", { route: "/v1/variables x?limit=2&q=%2f" }, true],
    ["the path decoded, without the query", { route: "/v1/variables x" }, true],
    ["no body hash", { bodyHash: "" }, true],
    ["no query, decoded and no body hash", { route: "/v1/variables x", bodyHash: "" }, true],
    ["the hash of {} given", { bodyHash: EMPTY_BODY_HASH }, true],
    ["the query decoded", { route: "/v1/variables%20x?limit=2&q=/" }, false],
    ["another query", { route: "/v1/variables%20x?limit=3&q=%2f" }, false],
    ["part of the query", { route: "/v1/variables%20x?limit=2" }, false],
    ["an empty query", { route: "/v1/variables%20x?" }, false],
    ["another path", { route: "/v1/variables-values" }, false],
    ["no route", { route: "" }, false],
    ["another method", { method: "HEAD" }, false],
    ["the hash of another body", { bodyHash: "d41d8cd98f00b204e9800998ecf8427e" }, false],
  ])("checks a signature over %s: %o -> %s", (_what, parts, accepted) => {
    expect(accepts({ authorization: signed(parts) })).toBe(accepted);
  });

  it.each([
    ["300 s ago", -300_000, true],
    ["300.001 s ago", -300_001, false],
    ["now", 0, true],
    ["in 60 s", 60_000, true],
    ["in 60.001 s", 60_001, false],
  ])("checks a timestamp of %s: %d ms -> %s", (_when, shift, accepted) => {
    expect(accepts({ authorization: signed({ timestamp: NOW + shift }) })).toBe(accepted);
  });

  it.each([
    [-2_000, true],
    [-2_001, false],
    [0, true],
    [1, false],
  ])("applies another tolerance: %d ms -> %s", (shift, accepted) => {
    const authorization = signed({ timestamp: NOW + shift });
    expect(accepts({ authorization }, { tolerance: { past: 2, future: 0 } })).toBe(accepted);
  });

  it("refuses a signature whose timestamp was changed", () => {
    const authorization = signed().replace(String(NOW), String(NOW + 1));
    expect(accepts({ authorization })).toBe(false);
  });

  it("refuses a target without a slash, whose signed text could be that of another method and path", () => {
    const authorization = signed({ method: "GET", route: "/v1/variables" });
    expect(accepts({ authorization, method: "GET", target: "/v1/variables" })).toBe(true);
    expect(accepts({ authorization, method: "GE", target: "T/v1/variables" })).toBe(false);
  });

  it("refuses a signature made with another secret", () => {
    expect(accepts({}, { secret: "dev-secret2" })).toBe(false);
  });

  it("refuses a malformed header", () => {
    expect(accepts({ authorization: `${signed()} ` })).toBe(false);
  });
});

describe("signableRoutes()", () => {
  it.each([
    ["/v1/variables", ["/v1/variables"]],
    ["/v1/variables?a=%20", ["/v1/variables?a=%20", "/v1/variables"]],
    ["/v1/a%20b", ["/v1/a%20b", "/v1/a b"]],
    ["/v1/a%20b?c=%20", ["/v1/a%20b?c=%20", "/v1/a%20b", "/v1/a b?c=%20", "/v1/a b"]],
    ["/v1/%25?c=?d", ["/v1/%25?c=?d", "/v1/%25", "/v1/%?c=?d", "/v1/%"]],
    ["/v1/%zz?c", ["/v1/%zz?c", "/v1/%zz"]],
    ["/v1/%2520", ["/v1/%2520", "/v1/%20"]],
    ["/v1/a%3Fb=c", ["/v1/a%3Fb=c"]],
    ["/v1/%61%3fb?c", ["/v1/%61%3fb?c", "/v1/%61%3fb"]],
    ["/v1/a%23b%20c", ["/v1/a%23b%20c"]],
    ["/v1/a%253Fb", ["/v1/a%253Fb", "/v1/a%3Fb"]],
    ["/?", ["/?", "/"]],
    ["", [""]],
  ])("returns, for the target %j, %j", (target, routes) => {
    expect(signableRoutes(target)).toStrictEqual(routes);
  });
});

describe("secretMatches()", () => {
  it.each([
    ["secret", "secret", true],
    ["", "", true],
    ["sécret", "sécret", true],
    ["secret", "Secret", false],
    ["secret", "secre", false],
    ["secret", "secret ", false],
    ["secret", "", false],
    ["a", "a".repeat(10_000), false],
  ])("compares %j and %j: %s", (a, b, same) => {
    expect(secretMatches(a, hashSecret(b))).toBe(same);
    expect(secretMatches(b, hashSecret(a))).toBe(same);
  });
});
