import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express, { type ErrorRequestHandler } from "express";
import { generate, HMAC } from "hmac-auth-express";
import { describe, expect, it, onTestFinished } from "vitest";
import { Client } from "../../../src/client/client.js";
import { UnauthorizedError } from "../../../src/kit/text/errors.js";
import { get } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";

describe("requests that hmac-auth-express signs are accepted by the server", () => {
  const statusOf = async (target: string, secret: string, body?: Record<string, unknown>) => {
    const timestamp = Date.now().toString();
    const digest = generate(secret, "sha256", timestamp, "GET", target, body).digest("hex");
    const headers = { "x-api-key": "dev-key", authorization: `HMAC ${timestamp}:${digest}` };
    return (await get(await runningServer(), target, headers)).status;
  };

  it.each([
    ["/v1/variables?limit=2&offset=1", {}],
    ["/v1/variables?limit=2&offset=1", undefined],
    ["/v1/variables-values-by-name/PORT/content", {}],
    ["/v1/variables-values-by-name/PORT/content", undefined],
  ])(
    "a request that hmac-auth-express signs is accepted by the server: %s with the body %j",
    async (target, body) => {
      expect(await statusOf(target, "dev-secret", body)).toBe(200);
    },
  );

  it("a request that hmac-auth-express signs with another secret or another body is answered with 401", async () => {
    expect(await statusOf("/v1/variables", "wrong", {})).toBe(401);
    expect(await statusOf("/v1/variables", "dev-secret", { a: 1 })).toBe(401);
  });
});

describe("the client is accepted by the middleware of hmac-auth-express", () => {
  const VARIABLE = { id: 1, type: "STRING", name: "NAME", description: "" };
  const PAGE = { metadata: { limit: 2, offset: 1, total: 2 }, data: [VARIABLE] };

  /** An Express server whose routes require this secret. */
  async function guardedServer(secret: string): Promise<string> {
    const refuse: ErrorRequestHandler = (error, _req, res, _next) => {
      res
        .status(error.code === "ERR_HMAC_AUTH_INVALID" ? 401 : 500)
        .json({ message: error.message });
    };
    const server = express()
      .use(express.json(), HMAC(secret))
      .get("/v1/variables", (_req, res) => void res.json(PAGE))
      .get(
        "/v1/variables-values-by-name/:name/content",
        (req, res) => void res.json({ value: req.params.name }),
      )
      .use(refuse)
      .listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function client(apiSecret: string) {
    const created = new Client({
      url: await guardedServer("secret"),
      apiKey: "key",
      apiSecret,
      maxWait: 0,
    });
    onTestFinished(() => created.close());
    return created;
  }

  it("the middleware of hmac-auth-express accepts the client's request for a list with its query", async () => {
    expect(await (await client("secret")).listVariables({ limit: 2, offset: 1 })).toEqual(PAGE);
  });

  it("the middleware of hmac-auth-express accepts the client's request for a content by name", async () => {
    expect(await (await client("secret")).getContentByName("A.b-c")).toEqual({ value: "A.b-c" });
  });

  it("the middleware of hmac-auth-express rejects a client with another secret", async () => {
    const refused = await client("wrong");
    await expect(refused.listVariables()).rejects.toThrow(UnauthorizedError);
    await expect(refused.getContentByName("NAME")).rejects.toThrow(UnauthorizedError);
  });
});
