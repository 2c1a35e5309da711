import { describe, expect, it, vi } from "vitest";
import { interpret, interpretHealth, redirectTarget } from "../../src/client/decode.js";
import type { HttpResponse } from "../../src/client/transport.js";
import {
  NotFoundError,
  ServerError,
  UnauthorizedError,
  UsageError,
} from "../../src/kit/text/errors.js";
import { RateLimitedError, WrongClockError } from "../../src/model/errors.js";

const READ = { kind: "content", name: "A" } as const;

const HTML = "<html>t0p-s3cr3t</html>";
const MESSAGE = '{"message":"limit must be a whole number"}';
const INEXACT = "a number that can't be held exactly (write it as a string)";
const HEALTH_RULE = { uptime: 1.5, message: "OK", date: "2026-01-01T00:00:00.000Z" };

function response(
  status: number,
  body: string,
  headers: HttpResponse["headers"] = {},
): HttpResponse {
  const all = { "content-length": String(body.length), ...headers };
  return { status, body, headers: all, milliseconds: 1 };
}

const foreign = (status: number, rule = "") =>
  new ServerError(`not an appvars server (status ${status})${rule && `: ${rule}`}`, status);

describe("an answer of a data endpoint", () => {
  it("is decoded from its body", () => {
    expect(interpret(response(200, '{"value":null}'), READ)).toStrictEqual({
      value: null,
    });
  });

  it.each([
    [response(400, MESSAGE), new UsageError("limit must be a whole number")],
    [response(401, MESSAGE), new UnauthorizedError("the server refused the credentials")],
    [response(404, '{"message":"Not found"}'), new NotFoundError("Not found")],
    [
      response(500, '{"message":"Internal server error"}'),
      new ServerError("the server failed with status 500", 500),
    ],
    [response(503, HTML), new ServerError("the server failed with status 503", 503)],
    [response(408, ""), new ServerError("the server failed with status 408", 408)],
    [
      response(405, '{"message":"no"}'),
      new ServerError("the server answered with status 405: no", 405),
    ],
    [
      response(302, HTML, { location: "http://127.0.0.2/" }),
      new ServerError("the server redirects to http://127.0.0.2/, which is not followed", 302),
    ],
    [
      response(302, HTML, { location: "https://login/in?token=t0p-s3cr3t#t0p-s3cr3t" }),
      new ServerError("the server redirects to https://login/in, which is not followed", 302),
    ],
    [response(304, ""), foreign(304)],
    [response(200, HTML), foreign(200)],
    [response(200, ""), foreign(200)],
    [response(200, '{"value":"t0p-s3cr3t"'), foreign(200)],
    [
      response(200, '{"value":12345678901234567890}'),
      foreign(200, `line 1, column 10: ${INEXACT}`),
    ],
    [response(200, '{"content":"t0p-s3cr3t"}'), foreign(200, "value is missing")],
    [response(200, '["t0p-s3cr3t"]'), foreign(200, "it must be an object")],
    [response(204, ""), foreign(204)],
    [response(400, HTML), foreign(400)],
    [response(401, HTML), foreign(401)],
    [response(404, HTML), foreign(404)],
    [response(404, '{"error":"t0p-s3cr3t"}'), foreign(404, "message is missing")],
    [response(404, '{"message":404}'), foreign(404, "message must be a string")],
    [response(403, HTML), foreign(403)],
    [
      { ...response(403, HTML), forwarder: "the proxy a:1" },
      new ServerError("not an appvars server through the proxy a:1 (status 403)", 403),
    ],
    [
      { ...response(503, HTML), forwarder: "the proxy a:1" },
      new ServerError("the request through the proxy a:1 failed with status 503", 503),
    ],
  ])("becomes the error for its status, without quoting a foreign body: %o", (answer, expected) => {
    const error = failure(() => interpret(answer, READ));
    expect(error).toBeInstanceOf(expected.constructor);
    expect({ ...error, message: error.message }).toStrictEqual({
      ...expected,
      message: expected.message,
    });
    expect(`${error.stack}${error.cause}`).not.toContain("t0p-s3cr3t");
  });

  it.each([
    ["7", 7],
    ["0", 0],
    ["0.5", 0.5],
    [undefined, 0],
    ["", 0],
    ["-1", 0],
    ["soon", 0],
    ["Infinity", 0],
    ["Wed, 21 Oct 2026 07:28:00 GMT", 0],
  ])("an answer with status 429 and Retry-After %j has a wait of %d s", (header, seconds) => {
    const error = failure(() => interpret(response(429, HTML, { "retry-after": header }), READ));
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({ retryAfter: seconds });
    expect(error.message).toBe(
      `rate-limited by the server; it accepts requests again in ${seconds} s`,
    );
  });
});

describe("an answer with status 401", () => {
  const DATE = "Wed, 21 Oct 2026 07:28:00 GMT";
  const refused = (date: string | undefined, signedAt?: number) =>
    failure(() => interpret(response(401, MESSAGE, { date }), READ, signedAt));

  it.each([
    // The server's clock is half a second later than its date, on average.
    ["60 s ahead of", 60.1, "60 s ahead"],
    ["3600 s ahead of", 3_600.5, "60 s ahead"],
    ["300 s behind", -299.1, "300 s old"],
    ["86400 s behind", -86_399.5, "300 s old"],
  ])("blames the clocks if this machine's is %s the server's", (offset, seconds, allowed) => {
    const error = refused(DATE, Date.parse(DATE) + seconds * 1_000);
    expect(error).toBeInstanceOf(WrongClockError);
    const clock = `this machine's clock is ${offset} the server's; signatures may be up to ${allowed}`;
    expect(error).toMatchObject({
      code: "unauthorized",
      message: `the server refused the signature: ${clock}`,
    });
  });

  it.each([
    ["the clocks are close", DATE, 59],
    ["the clocks are close, the other way", DATE, -298],
    ["there is no date", undefined, 3_600],
    ["the date is not one", "t0p-s3cr3t", 3_600],
    ["the request has no signature", DATE, undefined],
  ])("blames the credentials if %s", (_what, date, seconds) => {
    const error = refused(
      date,
      seconds === undefined ? undefined : Date.parse(DATE) + seconds * 1_000,
    );
    expect(error).not.toBeInstanceOf(WrongClockError);
    expect(error).toMatchObject({
      code: "unauthorized",
      message: "the server refused the credentials",
    });
  });

  it("of another server blames nothing of ours", () => {
    const error = failure(() => interpret(response(401, HTML, { date: DATE }), READ, 0));
    expect(error).toBeInstanceOf(ServerError);
  });
});

describe("redirectTarget", () => {
  it.each([
    ["https://login.example/in?token=hunter2", "https://login.example/in"],
    ["https://login.example/in#hunter2", "https://login.example/in"],
    ["https://user:hunter2@login.example/in", "https://login.example/in"],
    ["https://user:hunter2@a@login.example/", "https://login.example/"],
    ["//user:hunter2@login.example", "//login.example"],
    ["https:\\\\user:hunter2@login.example", "https:\\\\login.example"],
    ["https:user:hunter2@login.example", "login.example"],
    ["/in", "/in"],
    ["/@scope/package", "/@scope/package"],
    ["?hunter2", "nowhere"],
    [undefined, "nowhere"],
  ])("redirectTarget(%j) is %j", (location, target) => {
    expect(redirectTarget(location)).toBe(target);
  });
});

describe("an answer of many megabytes", () => {
  const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  // Brackets in strings don't count.
  const padding = JSON.stringify(`\\"[{${"[".repeat(2_000_000)}`);

  it.each([
    ["nested deeply", () => nested(1_000_000)],
    ["made of millions of members", () => `[${"{},".repeat(2_000_001)}0]`],
  ])("is rejected before it is parsed, if it is %s", (_what, value) => {
    const body = `{"value":${value()}}`;
    const parse = vi.spyOn(JSON, "parse");
    const error = failure(() => interpret(response(200, body), READ));
    expect(parse).not.toHaveBeenCalledWith(body);
    parse.mockRestore();
    expect(error.message).toBe(foreign(200).message);
  });

  it("is accepted if it is simple enough", () => {
    const body = `{"padding":${padding},"value":${nested(500)},"more":${padding}}`;
    expect(interpret(response(200, body), READ)).toStrictEqual({
      value: JSON.parse(nested(500)),
    });
  });
});

describe("an answer of the health endpoint", () => {
  it.each([
    [200, true],
    [503, false],
  ])("has the same body for each status: %d is healthy: %s", (status, healthy) => {
    const answer = response(status, JSON.stringify(HEALTH_RULE));
    expect(interpretHealth(answer)).toStrictEqual({ healthy, health: HEALTH_RULE });
  });

  it.each([
    [response(503, HTML), foreign(503)],
    [response(503, MESSAGE), foreign(503, "uptime is missing")],
    [response(200, MESSAGE), foreign(200, "uptime is missing")],
    [response(500, MESSAGE), new ServerError("the server failed with status 500", 500)],
    [response(404, HTML), foreign(404)],
    [response(404, MESSAGE), foreign(404, "uptime is missing")],
    [response(401, MESSAGE), foreign(401, "uptime is missing")],
  ])("is rejected if it is not of the API: %o", (answer, expected) => {
    const error = failure(() => interpretHealth(answer));
    expect(error).toBeInstanceOf(ServerError);
    expect(error.message).toBe(expected.message);
  });
});

function failure(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error("it did not fail");
}
