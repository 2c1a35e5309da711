import { describe, expect, it } from "vitest";
import { get } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";
import { type HandSigned, md5, signByHand } from "../../support/sign-by-hand.js";
import { stubbedServer } from "../../support/stubbed-server.js";

const TARGET = "/v1/variables-values-by-name/%44EBUG/content?a=%62&c";

/** The status of a request for TARGET that is signed like this. */
async function statusWhenSigned(parts: Partial<HandSigned>): Promise<number> {
  const authorization = signByHand({ secret: "dev-secret", route: TARGET, ...parts });
  const { status } = await get(await runningServer(), TARGET, {
    "x-api-key": "dev-key",
    authorization,
  });
  return status;
}

// More forms are in test/signing.
describe("a signature", () => {
  it.each<[string, Partial<HandSigned>]>([
    ["the target exactly as sent", {}],
    ["the decoded path without the query", { route: "/v1/variables-values-by-name/DEBUG/content" }],
    ["the MD5 of {}", { bodyHash: "99914b932bd37a50b983c5e7c90ae93b" }],
    [
      "neither query nor body hash",
      { route: "/v1/variables-values-by-name/%44EBUG/content", bodyHash: "" },
    ],
  ])("over %s is accepted", async (_case, parts) => {
    expect(await statusWhenSigned(parts)).toBe(200);
  });

  it.each<[string, Partial<HandSigned>]>([
    ["another query", { route: "/v1/variables-values-by-name/%44EBUG/content?a=%62" }],
    ["the path in another case", { route: "/v1/variables-values-by-name/debug/content" }],
    ["an absolute URL", { route: `http://127.0.0.1${TARGET}` }],
    ["the method in lower case", { method: "get" }],
    ["the MD5 of nothing", { bodyHash: md5("") }],
    ["the MD5 of {} in upper case", { bodyHash: md5("{}").toUpperCase() }],
    ["the body itself", { bodyHash: "{}" }],
  ])("over %s is answered with 401", async (_case, parts) => {
    expect(await statusWhenSigned(parts)).toBe(401);
  });
});

describe("one signature is valid for", () => {
  const HASH = md5("{}");
  const BY_NAME = "/v1/variables-values-by-name";
  const statusOf = async (route: string, target: string, bodyHash = HASH) => {
    const headers = {
      "x-api-key": "dev-key",
      authorization: signByHand({ secret: "dev-secret", route, bodyHash }),
    };
    return (await get(await runningServer(), target, headers)).status;
  };

  it.each([
    ["the path alone: every query", "/v1/variables", "/v1/variables?limit=1&offset=1", 200],
    ["a query: no other query", "/v1/variables?limit=1", "/v1/variables?limit=2", 401],
    ["a query: not the path alone", "/v1/variables?limit=1", "/v1/variables", 401],
    [
      "a query: no path that decodes to it",
      "/v1/variables?limit=1",
      "/v1/variables%3Flimit=1",
      401,
    ],
    [
      "a query: no path that decodes to it, with a query",
      "/v1/variables?a=1",
      "/v1/variables%3fa=1?limit=1",
      401,
    ],
    ["a path: no other that decodes to it", "/v1/variables/1", "/v1%2Fvariables%2F1", 404],
    // No name has a character that must be encoded, so nothing is found.
    [
      "a content: no name that decodes to it",
      `${BY_NAME}/PORT/content`,
      `${BY_NAME}/PORT%2Fcontent`,
      404,
    ],
    ["a name: no other that decodes to it", `${BY_NAME}/PO%52T`, `${BY_NAME}/PO%2552T`, 404],
  ])("%s", async (_what, route, target, status) => {
    expect(await statusOf(route, target)).toBe(status);
  });

  // Route and hash are signed without a separator: a signature with the hash is one for a longer
  // target without it.
  it.each([
    ["a name", `${BY_NAME}/PORT`, 404],
    ["a content", `${BY_NAME}/PORT/content`, 404],
    ["a list", "/v1/variables", 404],
    ["an id", "/v1/variables/1", 400],
    ["a limit", "/v1/variables?limit=1", 400],
    ["an unknown parameter, which is ignored", "/v1/variables?limit=1&x=1", 200],
  ])(
    "a signature is valid for no other target that ends in the MD5 of {}: %s",
    async (_what, route, status) => {
      expect(await statusOf(route, route + HASH)).toBe(status);
    },
  );
});

describe("a timestamp", () => {
  const NOW = 1_700_000_000_000;
  const statusOf = async (age: number, tolerance = {}) => {
    const server = await stubbedServer({ clock: () => NOW, options: { tolerance } });
    const authorization = signByHand({
      secret: "dev-secret",
      route: "/v1/variables",
      timestamp: NOW - age * 1_000,
    });
    const { status } = await get(server, "/v1/variables", {
      "x-api-key": "dev-key",
      authorization,
    });
    return status;
  };

  it.each([
    { tolerance: {}, age: 300, status: 200 },
    { tolerance: {}, age: 300.001, status: 401 },
    { tolerance: { past: 10 }, age: 10.001, status: 401 },
    { tolerance: { past: 10 }, age: -60, status: 200 },
    { tolerance: { future: 5 }, age: -5.001, status: 401 },
    { tolerance: { future: 5 }, age: 300, status: 200 },
    { tolerance: { past: 0, future: 0 }, age: 0, status: 200 },
  ])(
    "with $tolerance that is $age s old is answered with $status",
    async ({ tolerance, age, status }) => {
      expect(await statusOf(age, tolerance)).toBe(status);
    },
  );

  it.each([
    [290, 200],
    [310, 401],
    [-50, 200],
    [-70, 401],
  ])("is compared with the machine's clock: %d s old is answered with %d", async (age, status) => {
    expect(await statusWhenSigned({ timestamp: Date.now() - age * 1_000 })).toBe(status);
  });
});
