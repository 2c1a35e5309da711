import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Client, type ClientOptions } from "../../src/client/client.js";
import { NotFoundError, ServerError, UnauthorizedError } from "../../src/kit/text/errors.js";
import { RateLimitedError } from "../../src/model/errors.js";
import { sign } from "../../src/signing/sign.js";
import { aVariable } from "../support/records.js";
import { httpPeer, tcpPeer, unusedPort } from "./peer.js";

const SECRET = "t0p-s3cr3t";
const CREDENTIALS = { apiKey: "key", apiSecret: SECRET };
const HEALTH_RULE = { uptime: 1.5, message: "OK", date: "2026-01-01T00:00:00.000Z" };
const EMPTY_PAGE = { metadata: { limit: 1, offset: 0, total: 0 }, data: [] };

describe("the client", () => {
  it.each([
    ["listVariables", [], "/v1/variables?limit=50&offset=0"],
    ["listVariables", [{ limit: 2_000, offset: 3 }], "/v1/variables?limit=1000&offset=3"],
    ["listValues", [{ limit: 1 }], "/v1/variables-values?limit=1&offset=0"],
    ["getVariable", [7], "/v1/variables/7"],
    ["getValue", [Number.MAX_SAFE_INTEGER], "/v1/variables-values/9007199254740991"],
    ["getValueByName", ["a.B-c_"], "/v1/variables-values-by-name/a.B-c_"],
    ["getContentByName", ["__proto__"], "/v1/variables-values-by-name/__proto__/content"],
  ] as const)(
    "%s(%j) requests %s, signs exactly that and does not send the secret",
    async (method, args, target) => {
      const { client, requests } = await clientOf(json(200, EMPTY_PAGE), CREDENTIALS);
      // The answer does not fit every method, but only the request matters here.
      await (client[method] as (...args: readonly unknown[]) => Promise<unknown>)(...args).catch(
        () => {},
      );
      const [request] = requests;
      expect(request?.url).toBe(target);
      expect(request?.headers).toMatchObject({ accept: "application/json", "x-api-key": "key" });
      expect(JSON.stringify(request?.headers)).not.toContain(SECRET);
      const authorization = request?.headers.authorization ?? "";
      const timestamp = Number(authorization.slice("HMAC ".length, -65));
      expect(authorization).toBe(sign({ timestamp, method: "GET", route: target }, SECRET));
      expect(Math.abs(Date.now() - timestamp)).toBeLessThan(60_000);
    },
  );

  it("sends key and secret unchanged with the scheme headers", async () => {
    const { client, requests } = await clientOf(json(200, EMPTY_PAGE), {
      ...CREDENTIALS,
      auth: "headers",
    });
    await client.listValues();
    expect(requests[0]?.headers).toMatchObject({ "x-api-key": "key", "x-api-secret": SECRET });
    expect(requests[0]?.headers).not.toHaveProperty("authorization");
  });

  it("signs without a key if it has none", async () => {
    const { client, requests } = await clientOf(json(200, EMPTY_PAGE), { apiSecret: SECRET });
    await client.listValues();
    expect(requests[0]?.headers).toHaveProperty("authorization");
    expect(requests[0]?.headers).not.toHaveProperty("x-api-key");
  });

  it.each([
    [{}, "the API secret is missing"],
    [{ apiKey: "key" }, "the API secret is missing"],
    [{ apiKey: "key", apiSecret: "" }, "the API secret is missing"],
    [{ apiSecret: SECRET, auth: "headers" }, "the API key is missing"],
  ] as const)("sends nothing without the required credentials: %o", async (options, message) => {
    const { client, requests } = await clientOf(json(200, EMPTY_PAGE), options);
    await expect(client.listVariables()).rejects.toThrow(new UnauthorizedError(message));
    expect(requests).toHaveLength(0);
  });

  it("requests health without credentials, even if it has some", async () => {
    const { client, requests } = await clientOf(json(200, HEALTH_RULE), CREDENTIALS);
    expect(await client.getHealth()).toStrictEqual(HEALTH_RULE);
    expect(requests[0]?.url).toBe("/healthz");
    expect(requests[0]?.headers).not.toHaveProperty("authorization");
    expect(requests[0]?.headers).not.toHaveProperty("x-api-key");
  });

  it.each([
    ["12", { ...HEALTH_RULE, data_age: 12 }],
    ["-1", HEALTH_RULE],
    ["1e3", HEALTH_RULE],
    ["1, 2", HEALTH_RULE],
  ])("reads the age of the data from the header %j", async (age, health) => {
    const { client } = await clientOf((req, res) =>
      json(200, HEALTH_RULE)(req, res.setHeader("Appvars-Data-Age", age)),
    );
    expect(await client.getHealth()).toStrictEqual(health);
  });

  it("reports an unhealthy server without retrying", async () => {
    const { client, requests } = await clientOf(
      json(503, { ...HEALTH_RULE, message: "the data file is empty" }),
    );
    await expect(client.getHealth()).rejects.toThrow(
      new ServerError("the data file is empty", 503),
    );
    expect(requests).toHaveLength(1);
  });

  it.each(["a/b", "..", "", "A?x", "é", "a%2fb", "$&"])(
    "does not request the name %j",
    async (name) => {
      const { client, requests } = await clientOf(json(200, EMPTY_PAGE), CREDENTIALS);
      await expect(client.getContentByName(name)).rejects.toThrow(new NotFoundError("Not found"));
      expect(requests).toHaveLength(0);
    },
  );

  it("signs each attempt separately, and reports pauses and answers", async () => {
    const onRetry = vi.fn();
    const onResponse = vi.fn();
    const answers = [json(503, {}), json(200, { value: 1 })];
    const options = { ...CREDENTIALS, onRetry, onResponse };
    const { client, requests } = await clientOf((req, res) => answers.shift()?.(req, res), options);
    expect(await client.getContentByName("A")).toStrictEqual({ value: 1 });
    expect(requests[1]?.headers.authorization).not.toBe(requests[0]?.headers.authorization);
    const wait = expect.any(Number);
    expect(onRetry.mock.calls).toStrictEqual([
      [{ wait, reason: "the server failed with status 503" }],
    ]);
    const target = "/v1/variables-values-by-name/A/content";
    expect(onResponse.mock.calls).toStrictEqual([
      [{ target, status: 503, headers: expect.any(Object), milliseconds: expect.any(Number) }],
      [{ target, status: 200, headers: expect.any(Object), milliseconds: expect.any(Number) }],
    ]);
  });

  it.each([
    ["with a length", "Content-Length: 11\r\n\r\n"],
    ["in chunks", "Transfer-Encoding: chunked\r\n\r\nb\r\n"],
  ])("asks again if an answer %s is cut short, with any status", async (_how, headers) => {
    const body = '{"value":1}';
    const answers = [
      `200 OK\r\n${headers}${body.slice(0, 9)}`,
      `200 OK\r\n${headers}`,
      `401 Unauthorized\r\n${headers}{"message`,
      "408 Request Timeout\r\n\r\n",
      `200 OK\r\nContent-Length: 11\r\n\r\n${body}`,
    ];
    const { url } = await tcpPeer((socket) => socket.end(`HTTP/1.1 ${answers.shift()}`));
    const client = new Client({ url, ...CREDENTIALS }, { sleep: async () => {} });
    onTestFinished(() => client.close());
    expect(await client.getContentByName("A")).toEqual({ value: 1 });
    expect(answers).toEqual([]);
  });

  it("tries once if maxWait is 0", async () => {
    const limited = (_req: IncomingMessage, res: ServerResponse) =>
      res.writeHead(429, { "Retry-After": "9" }).end();
    const { client, requests } = await clientOf(limited, { ...CREDENTIALS, maxWait: 0 });
    await expect(client.listVariables()).rejects.toThrow(RateLimitedError);
    expect(requests).toHaveLength(1);
  });

  it.each([
    ["getVariable", [1], aVariable({ id: 2, name: "A" }), "id must be the requested one"],
    [
      "getValue",
      [1],
      { id: 2, variable_id: 1, content: { value: 1 } },
      "id must be the requested one",
    ],
    [
      "getValueByName",
      ["A"],
      { id: 0, variable_id: 1, content: { value: 1 } },
      "id must be a positive",
    ],
    [
      "listVariables",
      [{ limit: 1 }],
      { ...EMPTY_PAGE, metadata: { limit: 1, offset: 0, total: 1e15 } },
      "total",
    ],
    ["listValues", [{ offset: 1 }], EMPTY_PAGE, "metadata.offset must be 1, as requested"],
  ] as const)(
    "rejects an answer that does not match %s(%j), without retrying",
    async (method, args, body, message) => {
      const { client, requests } = await clientOf(json(200, body), CREDENTIALS);
      const answer = (client[method] as (...args: readonly unknown[]) => Promise<unknown>)(...args);
      await expect(answer).rejects.toThrow(ServerError);
      await expect(answer).rejects.toThrow(message);
      expect(requests).toHaveLength(1);
    },
  );

  it.each(["http://vars.example", "http://10.0.0.1:7400"])(
    "does not send the secret itself to %s",
    (url) => {
      const options = { url, ...CREDENTIALS, auth: "headers" as const };
      expect(() => new Client(options)).toThrow("without encryption: use https or auth hmac");
      expect(() => new Client({ ...options, insecure: true })).not.toThrow();
      expect(() => new Client({ ...options, url: url.replace("http:", "https:") })).not.toThrow();
    },
  );

  it.each(["hmac", "headers"] as const)(
    "never includes the secret in an error: %s",
    async (auth) => {
      const echo = (status: number) => (req: IncomingMessage, res: ServerResponse) =>
        res
          .writeHead(status, { "Content-Type": "text/html" })
          .end(`<p>${JSON.stringify(req.headers)}</p>`);
      const errors: unknown[] = [];
      for (const status of [200, 302, 400, 401, 403, 404, 429, 500, 503]) {
        const { client } = await clientOf(echo(status), { ...CREDENTIALS, auth, maxWait: 0 });
        errors.push(await client.listVariables().catch((error) => error));
      }
      const nobody = new Client({
        url: `http://127.0.0.1:${await unusedPort()}`,
        ...CREDENTIALS,
        auth,
        maxWait: 0,
      });
      errors.push(await nobody.listVariables().catch((error) => error));
      expect(errors.map((error) => error instanceof Error)).not.toContain(false);
      expect(errors.map((error) => described(error)).join()).not.toContain(SECRET);
    },
  );
});

function described(error: unknown): string {
  const { stack, cause, ...fields } = error as Error;
  return `${stack} ${JSON.stringify(fields)}${cause ? described(cause) : ""}`;
}

type Answer = (req: IncomingMessage, res: ServerResponse) => unknown;

function json(status: number, body: object): Answer {
  return (_req, res) => res.writeHead(status).end(JSON.stringify(body));
}

/** A client of a server that always sends this answer, and the requests that reached it. */
async function clientOf(answer: Answer, options: Omit<ClientOptions, "url"> = {}) {
  const requests: IncomingMessage[] = [];
  const { url } = await httpPeer((req, res) => {
    requests.push(req);
    answer(req, res);
  });
  const client = new Client({ url, ...options });
  onTestFinished(() => client.close());
  return { client, requests };
}
