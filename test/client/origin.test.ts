import { describe, expect, it } from "vitest";
import { parseOrigin } from "../../src/client/origin.js";
import { UsageError } from "../../src/domain/errors.js";

const FORM = "the server's URL must look like http://127.0.0.1:7400";
const NO_USER = "the server's URL must not hold a user or a password";
const noPath = (origin: string) => `the server's URL must have no path, query or fragment: use ${origin}`;

describe("parseOrigin", () => {
  it.each([
    ["http://127.0.0.1:7400", "http://127.0.0.1:7400"],
    ["http://127.0.0.1:7400/", "http://127.0.0.1:7400"],
    ["https://vars.example.org", "https://vars.example.org"],
    ["https://vars.example.org:443", "https://vars.example.org"],
    ["HTTP://LOCALHOST:80", "http://localhost"],
    ["http://[::1]:7400", "http://[::1]:7400"],
    [new URL("http://localhost:1"), "http://localhost:1"],
  ])("takes %s for %s", (url, origin) => {
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
  ])("refuses %j", (url, message) => {
    expect(() => parseOrigin(url)).toThrow(new UsageError(message));
    expect(message).not.toContain("t0p-s3cr3t");
  });
});
