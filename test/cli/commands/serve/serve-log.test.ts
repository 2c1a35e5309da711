import { describe, expect, it } from "vitest";
import {
  createLog,
  type LogFormat,
  serverLogHooks,
} from "../../../../src/cli/commands/serve/serve-log.js";
import type { ServedRequest } from "../../../../src/server/api/served-request.js";
import { runWith } from "../../../support/cli.js";

const TIME = Date.parse("2026-01-31T12:00:01.250Z");

const REQUEST: ServedRequest = {
  id: "4bf92f3577b34da6a3ce929d0e0e4736",
  method: "GET",
  path: "/v1/variables-values-by-name/TOKEN",
  route: "/v1/variables-values-by-name/:name",
  status: 200,
  milliseconds: 1.23456,
  bytes: 59,
  apiKey: "shop-test",
  client: undefined,
  address: "192.0.2.1",
  counter: "key",
};

const UNREADABLE = {
  ...REQUEST,
  method: undefined,
  path: "",
  route: undefined,
  status: 400,
  apiKey: undefined,
};

/** The log line of a request. */
async function logged(format: LogFormat, request: ServedRequest): Promise<string> {
  const { stderr } = await runWith(async (io) => {
    const plain = (text: string) => text;
    const colors = { bold: plain, dim: plain, green: plain, red: plain, yellow: plain };
    const { log, written } = createLog(io.stderr, format, () => TIME, colors);
    serverLogHooks(log, { verbose: true, color: false }).onRequest?.(request);
    log("warn", "last");
    await written();
  });
  return stderr;
}

describe("the log of a request", () => {
  it("is a line of JSON", async () => {
    const [line = ""] = (await logged("json", REQUEST)).split("\n");
    expect(JSON.parse(line)).toEqual({
      level: "info",
      time: "2026-01-31T12:00:01.250Z",
      id: REQUEST.id,
      key: "shop-test",
      from: "192.0.2.1",
      method: "GET",
      route: "/v1/variables-values-by-name/:name",
      status: 200,
      bytes: 59,
      ms: 1.2,
      message: "GET /v1/variables-values-by-name/:name 200",
    });
  });

  it("is a short line of text", async () => {
    expect(await logged("pretty", REQUEST)).toBe(
      "12:00:01 GET /v1/variables-values-by-name/:name 200 in 1.2 ms, 59 bytes, key shop-test, from 192.0.2.1, " +
        `id ${REQUEST.id}\n12:00:01 last\n`,
    );
  });

  it.each(["pretty", "json"] as const)(
    "has no path, not even of an unknown route, in the format %s",
    async (format) => {
      const unknown = {
        ...REQUEST,
        path: "/v1/variables-values-by-name/TOKEN/x",
        route: undefined,
      };
      expect(await logged(format, unknown)).toContain("GET (no such route) 200");
      const all = (await logged(format, REQUEST)) + (await logged(format, unknown));
      expect(all).not.toContain("TOKEN");
    },
  );

  it("says that a request could not be read", async () => {
    expect(await logged("pretty", UNREADABLE)).toContain(
      "(unreadable request) 400 in 1.2 ms, 59 bytes, no key,",
    );
    expect(JSON.parse((await logged("json", UNREADABLE)).split("\n")[0] ?? "")).not.toHaveProperty(
      "method",
    );
  });
});
