import { once } from "node:events";
import { request as requestTls } from "node:https";
import { describe, expect, it, vi } from "vitest";
import type { ServedRequest } from "../../../src/server/api/served-request.js";
import { DEV_HEADERS, get, raw, request } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";
import { signByHand } from "../../support/sign-by-hand.js";
import { TLS } from "../../support/tls.js";

const DATA_PATHS = [
  "/v1/variables",
  "/v1/variables/1",
  "/v1/variables-values",
  "/v1/variables-values/11",
  "/v1/variables-values-by-name/PORT",
  "/v1/variables-values-by-name/PORT/content",
];
const METHODS = ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"];

const NOT_ALLOWED = { message: "Only GET and HEAD are allowed" };
const NOT_FOUND = { message: "Not found" };
const UNAUTHORIZED = { message: "Credentials are missing or not valid" };
const BAD_TARGET = {
  message: "The request target must be a path or an http URL, with valid percent-encoding",
};

describe("a known path answers 405 to any method but GET and HEAD:", () => {
  it.each(
    METHODS.flatMap((method) =>
      [...DATA_PATHS, "/healthz"].map((target) => [method, target] as const),
    ),
  )("%s %s", async (method, target) => {
    const headers = target === "/healthz" ? {} : DEV_HEADERS;
    const answer = await request(await runningServer(), method, target, headers);
    expect(answer).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
    expect(answer.json).toStrictEqual(NOT_ALLOWED);
  });

  it.each(METHODS)("%s without credentials is answered 401", async (method) => {
    const answer = await request(await runningServer(), method, "/v1/variables");
    expect({ status: answer.status, json: answer.json }).toStrictEqual({
      status: 401,
      json: UNAUTHORIZED,
    });
  });
});

describe("HEAD is answered as GET without the body:", () => {
  it.each([
    ["/v1/variables", DEV_HEADERS],
    ["/v1/variables-values-by-name/PORT/content", DEV_HEADERS],
    ["/v1/variables?limit=0", DEV_HEADERS],
    ["/v1/variables/999", DEV_HEADERS],
    ["/v1/variables", {}],
    ["/nothing", {}],
  ])("HEAD %s is answered as GET without the body", async (target, headers) => {
    const server = await runningServer();
    const [head, got] = [
      await request(server, "HEAD", target, headers),
      await get(server, target, headers),
    ];
    expect(head).toMatchObject({ status: got.status, body: "" });
    for (const name of [
      "content-length",
      "content-type",
      "etag",
      "cache-control",
      "www-authenticate",
    ]) {
      expect(head.headers[name], name).toBe(got.headers[name]);
    }
    expect(got.headers["content-length"]).toBe(String(Buffer.byteLength(got.body)));
  });

  it("/healthz", async () => {
    const { status, headers, body } = await request(await runningServer(), "HEAD", "/healthz");
    expect({ status, body }).toEqual({ status: 200, body: "" });
    expect(Number(headers["content-length"])).toBeGreaterThan(50);
  });
});

describe("an unknown path", () => {
  const UNDER_V1 = [
    "/v1",
    "/v1/",
    "/v1?x=1",
    "/v1/nothing",
    "/v1/variables/",
    "/v1/variables/1/",
    "/v1//variables",
  ];
  const MORE = [
    "/v1/Variables",
    "/v1/variables/1/content",
    "/v1/variables-values-by-name/",
    "/v1/../healthz",
  ];
  const ELSEWHERE = [
    "/",
    "/V1/variables",
    "/v1variables",
    "/healthz/",
    "/Healthz",
    "/v2/variables",
    "/favicon.ico",
  ];
  const FOREIGN = [
    "//evil/v1/variables",
    "//v1/variables",
    "/%761/variables",
    "/x/../v1/variables",
    "/%2e%2e/healthz",
  ];

  it.each([...UNDER_V1, ...MORE])("%s: 404 with credentials, 401 without", async (target) => {
    const server = await runningServer();
    const { status, json } = await get(server, target);
    expect({ status, json }).toStrictEqual({ status: 404, json: NOT_FOUND });
    expect(await get(server, target, {})).toMatchObject({ status: 401, json: UNAUTHORIZED });
  });

  it.each([...ELSEWHERE, ...FOREIGN])("%s: 404, with and without credentials", async (target) => {
    const server = await runningServer();
    const { status, json } = await get(server, target, {});
    expect({ status, json }).toStrictEqual({ status: 404, json: NOT_FOUND });
    expect(await get(server, target)).toMatchObject({ status: 404, json: NOT_FOUND });
    expect(await request(server, "POST", target, {})).toMatchObject({
      status: 404,
      json: NOT_FOUND,
    });
  });

  it("is not normalized first", async () => {
    const server = await runningServer();
    expect(await get(server, "/v1/variables-values-by-name/%2e%2e")).toMatchObject({ status: 404 });
    expect(await get(server, "/v1/variables-values/%2e%2e/variables")).toMatchObject({
      status: 404,
    });
    expect(await get(server, "/v1/variables/%2e%2e")).toMatchObject({ status: 400 });
  });
});

describe("a target that is not a path is refused with and without credentials:", () => {
  it.each([
    "HTTPS://evil/",
    "ftp://evil/healthz",
    "http:///healthz",
    "http://user@evil/healthz",
    "http://user:password@evil/healthz",
    "http://evil:port/healthz",
    "http://evil/healthz#x",
    "http://evil/v1/%zz",
    "*",
    "/v1/variables#x",
    "/v1/variables?limit=1#x",
    "/healthz#",
    "/v1/variables-values-by-name/%",
    "/v1/variables-values-by-name/%zz",
    "/v1/variables-values-by-name/%ff",
    "/%c0%af",
    "/healthz/%",
  ])("the target %s is refused", async (target) => {
    const server = await runningServer();
    const signature = { authorization: signByHand({ secret: "dev-secret", route: target }) };
    for (const headers of [{}, DEV_HEADERS, signature]) {
      const { status, json } = await get(server, target, headers);
      expect({ status, json }).toStrictEqual({ status: 400, json: BAD_TARGET });
    }
  });

  it("a malformed % in the query is accepted", async () => {
    expect(await get(await runningServer(), "/v1/variables?x=%")).toMatchObject({ status: 200 });
  });
});

describe("a target that is a URL is answered as its path, whatever its host:", () => {
  it.each([
    ["http://any/healthz", "/healthz"],
    ["HTTP://ANY:7400/healthz", "/healthz"],
    ["http://[::1]:/healthz?x=1", "/healthz?x=1"],
    ["http://any/v1/variables?limit=2", "/v1/variables?limit=2"],
    [
      "http://any/v1/variables-values-by-name/P%4FRT/content",
      "/v1/variables-values-by-name/PORT/content",
    ],
    ["http://any/v1/variables?limit=0", "/v1/variables?limit=0"],
    ["http://any/v1/variables/999", "/v1/variables/999"],
    ["http://any", "/"],
    ["http://any?x=1", "/?x=1"],
    ["http://any//evil/v1/variables", "//evil/v1/variables"],
  ])("%s is answered as %s", async (target, path) => {
    const told: unknown[] = [];
    const tell = ({ id: _, milliseconds: __, bytes: ___, path, ...rest }: Partial<ServedRequest>) =>
      told.push({ ...rest, ...(path && { path: decodeURIComponent(path) }) }) > 0;
    const server = await runningServer({ onRequest: tell, audit: { record: tell } });
    for (const [method, headers] of [
      ["GET", DEV_HEADERS],
      ["HEAD", {}],
      ["POST", DEV_HEADERS],
    ] as const) {
      const [answer, expected] = [
        await request(server, method, target, headers),
        await request(server, method, path, headers),
      ];
      expect([answer.status, answer.headers.etag]).toEqual([
        expected.status,
        expected.headers.etag,
      ]);
    }
    const count = path.startsWith("/healthz") ? 6 : 12;
    await vi.waitFor(() => expect(told).toHaveLength(count));
    const each = count / 6;
    for (let start = 0; start < count; start += 2 * each)
      expect(told.slice(start, start + each)).toEqual(told.slice(start + each, start + 2 * each));
  });

  it("a signature covers the URL that was sent", async () => {
    const target = "http://any/v1/variables/1";
    const server = await runningServer();
    const status = async (route: string) => {
      const authorization = signByHand({ secret: "dev-secret", route });
      return (await get(server, target, { "x-api-key": "dev-key", authorization })).status;
    };
    expect([
      await status(target),
      await status("/v1/variables/1"),
      await status("http://other/v1/variables/1"),
    ]).toEqual([200, 401, 401]);
  });

  it("a URL with https is answered over TLS only, and one needs the Host header too", async () => {
    const server = await runningServer({ tls: TLS });
    for (const scheme of ["http", "https"]) {
      const path = `${scheme}://any/healthz`;
      const sent = requestTls({
        ca: TLS.cert,
        host: "127.0.0.1",
        port: server.port,
        path,
        agent: false,
      }).end();
      const [{ statusCode }] = await once(sent, "response");
      expect(statusCode).toBe(200);
    }
    const bytes = "GET http://any/healthz HTTP/1.1\r\nConnection: close\r\n\r\n";
    expect(await raw(await runningServer(), bytes)).toMatchObject({ status: 400 });
  });
});

describe("a target of more than 8 KiB", () => {
  const path = "/v1/variables?x=";

  it("is answered with 414, and the connection closed", async () => {
    const bytes = `GET ${path.padEnd(8_193, "a")} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const answer = await raw(await runningServer(), bytes);
    expect(answer).toMatchObject({ status: 414, headers: { connection: "close" } });
    expect(answer.json).toStrictEqual({ message: "The request target is too long" });
  });

  it("a target of exactly 8 KiB is accepted", async () => {
    expect(await get(await runningServer(), path.padEnd(8_192, "a"))).toMatchObject({
      status: 200,
    });
  });
});

it.each([
  ["a body", { "content-length": "2" }, "{}"],
  ["a chunked body", { "transfer-encoding": "chunked" }, "2\r\n{}\r\n0\r\n\r\n"],
  ["an unknown expectation", { expect: "nonsense" }, ""],
  ["an upgrade", { connection: "upgrade, close", upgrade: "websocket" }, ""],
])("a GET with %s is answered normally", async (_case, headers, body) => {
  const lines = Object.entries({ ...DEV_HEADERS, connection: "close", ...headers }).map((pair) =>
    pair.join(": "),
  );
  const bytes = ["GET /v1/variables/1 HTTP/1.1", "Host: a", ...lines, "", body].join("\r\n");
  const { status, headers: received, json } = await raw(await runningServer(), bytes);
  expect(status).toBe(200);
  expect(json).toEqual({
    id: 1,
    type: "STRING",
    name: "DATABASE_URL",
    description: "Primary database",
  });
  expect(received["ratelimit-limit"]).toBe("7500");
});
