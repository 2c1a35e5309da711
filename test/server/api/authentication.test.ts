import { describe, expect, it } from "vitest";
import { edited } from "../../support/data.js";
import { DEV_HEADERS, get, type Headers, request } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";
import { signByHand } from "../../support/sign-by-hand.js";

const TARGET = "/v1/variables-values-by-name/DATABASE_URL/content";
const secret = "dev-secret";
const signed = () => signByHand({ secret, route: TARGET });

describe("valid credentials", () => {
  it.each([
    ["key and secret", { ...DEV_HEADERS }],
    ["a signature and the key", { "x-api-key": "dev-key", authorization: signed() }],
    ["a signature alone", { authorization: signed() }],
    [
      "a good signature with a wrong secret",
      { ...DEV_HEADERS, "x-api-secret": "wrong", authorization: signed() },
    ],
    [
      "a good signature with a secret but no key",
      { "x-api-secret": "wrong", authorization: signed() },
    ],
  ])("%s are accepted", async (_case, headers) => {
    const { status, json } = await get(await runningServer(), TARGET, headers);
    expect({ status, json }).toStrictEqual({
      status: 200,
      json: { value: "postgres://localhost/dev" },
    });
  });
});

describe("missing, malformed and wrong credentials get the same 401", () => {
  const key = { "x-api-key": "dev-key" };

  it.each<[string, Headers]>([
    ["nothing", {}],
    ["a key alone", { ...key }],
    ["a secret alone", { "x-api-secret": secret }],
    ["a wrong secret", { ...key, "x-api-secret": "dev-secreT" }],
    ["the beginning of the secret", { ...key, "x-api-secret": "dev-secre" }],
    ["an empty secret", { ...key, "x-api-secret": "" }],
    ["another environment's secret", { ...key, "x-api-secret": "test-secret" }],
    ["an unknown key", { "x-api-key": "no-key", "x-api-secret": secret }],
    ["a key called like a property", { "x-api-key": "__proto__", "x-api-secret": "undefined" }],
    ["an empty key", { "x-api-key": "", "x-api-secret": secret }],
    ["the key twice", { "x-api-key": ["dev-key", "dev-key"], "x-api-secret": secret }],
    ["two keys", { "x-api-key": ["dev-key", "test-key"], "x-api-secret": secret }],
    ["the secret twice", { ...key, "x-api-secret": [secret, secret] }],
    [
      "a signature with another secret",
      { ...key, authorization: signByHand({ secret: "wrong", route: TARGET }) },
    ],
    [
      "a signature with a secret of nobody, and no key",
      { authorization: signByHand({ secret: "x", route: TARGET }) },
    ],
    ["a signature with an unknown key", { "x-api-key": "no-key", authorization: signed() }],
    ["a signature with an empty key", { "x-api-key": "", authorization: signed() }],
    [
      "a signature with another environment's key",
      { "x-api-key": "test-key", authorization: signed() },
    ],
    [
      "a signature with the key twice",
      { "x-api-key": ["dev-key", "dev-key"], authorization: signed() },
    ],
    ["two good Authorization headers", { ...key, authorization: [signed(), signed()] }],
    [
      "a good Authorization header and another",
      { ...key, authorization: [signed(), "Basic eDp5"] },
    ],
    [
      "a bad signature with a good secret",
      { ...DEV_HEADERS, authorization: `HMAC ${Date.now()}:${"0".repeat(64)}` },
    ],
    ["an empty Authorization, for all the good secret", { ...DEV_HEADERS, authorization: "" }],
    [
      "another scheme, for all the good secret",
      { ...DEV_HEADERS, authorization: "Basic ZGV2LWtleTpkZXYtc2VjcmV0" },
    ],
  ])("credentials are refused: %s", async (_case, headers) => {
    const answer = await get(await runningServer(), TARGET, headers);
    expect(answer.status).toBe(401);
    expect(answer.json).toStrictEqual({ message: "Credentials are missing or not valid" });
    expect(answer.headers["www-authenticate"]).toBe("HMAC");
  });

  it.each([
    "/v1",
    "/v1/",
    "/v1/nothing",
    "/v1/variables",
    "/v1/variables?limit=0",
    "/v1/variables/abc",
    "/v1/variables/999",
    "/v1/variables-values",
    "/v1/variables-values/11",
    "/v1/variables-values-by-name/NOPE",
    "/v1/variables-values-by-name/PORT/content",
  ])("a request without credentials is answered with 401 at %s", async (target) => {
    const { status, json, headers } = await get(await runningServer(), target, {});
    expect({ status, json }).toStrictEqual({
      status: 401,
      json: { message: "Credentials are missing or not valid" },
    });
    expect(headers["www-authenticate"]).toBe("HMAC");
  });
});

describe("a signature without x-api-key", () => {
  const keyless = (secretOfOne: string) => ({
    authorization: signByHand({ secret: secretOfOne, route: TARGET }),
  });
  const statuses = async (options: Parameters<typeof runningServer>[0], secrets: string[]) => {
    const server = await runningServer(options);
    const answers = await Promise.all(secrets.map((one) => get(server, TARGET, keyless(one))));
    return answers.map(({ status }) => status);
  };

  it.each([
    ["dev-secret", "postgres://localhost/dev"],
    ["test-secret", "postgres://localhost/test"],
    ["billing-secret", "postgres://localhost/ledger"],
  ])("made with %s gets that environment's data", async (one, value) => {
    const { json } = await get(await runningServer(), TARGET, keyless(one));
    expect(json).toStrictEqual({ value });
  });

  it("is checked against 100 environments", async () => {
    const data = edited((copy) => {
      for (let id = 5; id <= 101; id++) {
        copy.environments.push({
          id,
          application: "shop",
          name: `n${id}`,
          api_key: `k${id}`,
          api_secret: `s${id}`,
        });
      }
    });
    // 404: accepted, and these environments have no value. 401: refused.
    expect(await statuses({ data: data as object }, ["s100", "s101"])).toEqual([404, 401]);
  });

  it("is answered with 401 if two environments share the secret, but accepted with the key", async () => {
    const data = edited((copy) => (copy.environments[1].api_secret = secret)) as object;
    const server = await runningServer({ data });
    expect(await get(server, TARGET, keyless(secret))).toMatchObject({ status: 401 });
    const { json } = await get(server, TARGET, { "x-api-key": "test-key", ...keyless(secret) });
    expect(json).toStrictEqual({ value: "postgres://localhost/test" });
  });
});

it("a HEAD request is signed as HEAD", async () => {
  const server = await runningServer();
  const head = (method: string) =>
    request(server, "HEAD", TARGET, {
      authorization: signByHand({ secret, route: TARGET, method }),
    });
  expect(await head("HEAD")).toMatchObject({ status: 200 });
  expect(await head("GET")).toMatchObject({ status: 401 });
});
