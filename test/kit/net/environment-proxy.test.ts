import { describe, expect, it } from "vitest";
import { findProxy } from "../../../src/kit/net/environment-proxy.js";
import { UsageError } from "../../../src/kit/text/errors.js";

const nameOf = (url: string, env: Record<string, string>) => findProxy(new URL(url), env)?.name;

describe("the proxy of the environment", () => {
  it.each([
    ["https://vars.example", { HTTPS_PROXY: "http://p:3128" }, "the proxy p:3128 (HTTPS_PROXY)"],
    [
      "https://vars.example",
      { HTTPS_PROXY: "http://upper", https_proxy: "lower:8080" },
      "the proxy lower:8080 (https_proxy)",
    ],
    [
      "https://vars.example",
      { HTTPS_PROXY: "", ALL_PROXY: "http://all" },
      "the proxy all (ALL_PROXY)",
    ],
    ["https://vars.example", { HTTP_PROXY: "http://p" }, undefined],
    [
      "http://vars.example",
      { HTTP_PROXY: "http://p", HTTPS_PROXY: "http://q" },
      "the proxy p (HTTP_PROXY)",
    ],
    [
      "http://vars.example",
      { http_proxy: "https://user:hunter2@[::1]:3128/" },
      "the proxy [::1]:3128 (http_proxy)",
    ],
    [
      "http://vars.example",
      { all_proxy: "http://p", no_proxy: "other.example" },
      "the proxy p (all_proxy)",
    ],
  ])("the proxy of %s with %j is %s", (url, env, name) => {
    expect(nameOf(url, env)).toBe(name);
  });

  it.each(["http://127.0.0.1:7400", "http://127.9.9.9", "http://localhost:1", "https://[::1]:1"])(
    "the proxy is not used for a server on this machine: %s",
    (url) => {
      expect(nameOf(url, { ALL_PROXY: "nonsense://", HTTP_PROXY: "http://p" })).toBeUndefined();
    },
  );

  it.each([
    "*",
    "vars.example",
    "other, vars.example:443",
    "*:443",
    ".example",
    "*.example",
    "VARS.EXAMPLE",
  ])("the proxy is not used for a server of NO_PROXY=%s", (list) => {
    expect(
      nameOf("https://vars.example", { ALL_PROXY: "http://p", NO_PROXY: list }),
    ).toBeUndefined();
  });

  it.each(["", ",", "example", "vars.example:444", "ars.example"])(
    "the proxy is used in spite of NO_PROXY=%s",
    (list) => {
      expect(
        nameOf("https://vars.example", { ALL_PROXY: "http://p", NO_PROXY: list }),
      ).toBeDefined();
    },
  );

  it("the proxy is not HTTP_PROXY in a CGI program, where it is a header of the request", () => {
    const env = { REQUEST_METHOD: "GET", HTTP_PROXY: "http://attacker.example" };
    expect(nameOf("http://vars.example", env)).toBeUndefined();
    expect(nameOf("http://vars.example", { ...env, http_proxy: "http://p" })).toBe(
      "the proxy p (http_proxy)",
    );
    expect(nameOf("http://vars.example", { ...env, ALL_PROXY: "http://p" })).toBe(
      "the proxy p (ALL_PROXY)",
    );
  });

  it("the proxy has to be an HTTP proxy, and its URL is not quoted", () => {
    const find = () =>
      nameOf("https://vars.example", { ALL_PROXY: "socks5://user:hunter2@p:1080" });
    expect(find).toThrow(
      new UsageError(
        "ALL_PROXY must be the URL of an HTTP proxy, such as http://proxy.example.com:3128 or " +
          "http://user:password@proxy.example.com:3128",
      ),
    );
  });
});
