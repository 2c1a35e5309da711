import { describe, expect, it } from "vitest";
import { Client } from "../../src/client/client.js";
import { UnreachableError, UsageError } from "../../src/kit/text/errors.js";
import { parseOrigin } from "../../src/model/server-options.js";
import { httpPeer } from "../client/peer.js";

const ORIGIN = "http://127.0.0.1:1";

describe("new Client()", () => {
  it.each([
    { timeout: 0 },
    { timeout: Number.NaN },
    { timeout: Number.POSITIVE_INFINITY },
    // A timer of more than 2^31 ms fires immediately.
    { timeout: 3e6 },
    { maxWait: -1 },
    { maxWait: Number.POSITIVE_INFINITY },
    // Must not fall back to the scheme that sends the secret.
    { auth: "HMAC" as "hmac" },
  ])("throws for the options %o", (options) => {
    expect(() => new Client({ url: ORIGIN, ...options })).toThrow(UsageError);
  });

  it.each(["with\nnewline", "näme", "two, keys", "x".repeat(513)])(
    "throws for a credential that can't be sent: %j",
    (text) => {
      for (const options of [{ apiKey: text }, { apiSecret: text }]) {
        expect(() => new Client({ url: ORIGIN, ...options })).toThrow(
          "1 to 512 visible ASCII characters",
        );
        expect(() => new Client({ url: ORIGIN, ...options })).not.toThrow(text);
      }
    },
  );

  it("returns a client whose open and later requests fail once it is closed", async () => {
    let arrived = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    let requests = 0;
    const { url } = await httpPeer(() => {
      requests++;
      arrived();
    });
    const client = new Client({ url, apiSecret: "secret" });
    const call = client.listVariables().catch((error: unknown) => error);
    await arrival;
    await client.close();
    expect(await call).toStrictEqual(
      new UnreachableError("the client is closed", { isFinal: true }),
    );
    await expect(client.getHealth()).rejects.toThrow("the client is closed");
    expect(requests).toBe(1);
  });
});

const FORM = "the server's URL must look like http://127.0.0.1:7400";
const NO_USER = "the server's URL must not contain a user or a password";
const noPath = (origin: string) =>
  `the server's URL must have no path, query or fragment: use ${origin}`;

describe("parseOrigin()", () => {
  it.each([
    ["http://127.0.0.1:7400", "http://127.0.0.1:7400"],
    ["http://127.0.0.1:7400/", "http://127.0.0.1:7400"],
    ["https://vars.example.org", "https://vars.example.org"],
    ["https://vars.example.org:443", "https://vars.example.org"],
    ["HTTP://LOCALHOST:80", "http://localhost"],
    ["http://[::1]:7400", "http://[::1]:7400"],
    [new URL("http://localhost:1"), "http://localhost:1"],
  ])("reads %s as %s", (url, origin) => {
    expect(parseOrigin(url).origin).toBe(origin);
  });

  it.each([
    ["", FORM],
    ["localhost", FORM],
    ["localhost:7400", FORM],
    ["127.0.0.1:7400", FORM],
    ["//localhost", FORM],
    ["/v1", FORM],
    ["http://", FORM],
    ["http://localhost:99999", FORM],
    ["http://a b", FORM],
    ["ftp://localhost", FORM],
    ["file:///etc/passwd", FORM],
    ["javascript:alert(1)", FORM],
    ["http://user@localhost", NO_USER],
    ["http://user:t0p-s3cr3t@localhost/path", NO_USER],
    ["http://:t0p-s3cr3t@localhost", NO_USER],
    ["http://localhost/v1", noPath("http://localhost")],
    ["http://localhost:7400//", noPath("http://localhost:7400")],
    ["http://localhost?key=t0p-s3cr3t", noPath("http://localhost")],
    ["http://localhost#t0p-s3cr3t", noPath("http://localhost")],
  ])("throws for %j", (url, message) => {
    expect(() => parseOrigin(url)).toThrow(new UsageError(message));
    expect(message).not.toContain("t0p-s3cr3t");
  });
});
