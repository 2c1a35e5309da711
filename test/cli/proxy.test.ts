import { describe, expect, it } from "vitest";
import { httpProxy } from "../support/http-proxy.js";
import { proxiedCli } from "../support/proxied-cli.js";

describe.each(["http", "https"] as const)("a command, with a proxy for %s,", (scheme) => {
  it("a command reads through the proxy, and --verbose does not show its password", async () => {
    const { proxy, cli } = await proxiedCli(scheme);
    const { code, stdout, stderr } = await cli("get PORT --verbose");
    expect([code, stdout]).toEqual([0, "3000\n"]);
    expect(proxy.requests).toHaveLength(1);
    expect(stderr).not.toContain("hunter2");
  });

  it("doctor asks everything through the proxy, and shows it without its password", async () => {
    const { proxy, cli, url } = await proxiedCli(scheme);
    const { stdout } = await cli("doctor --json");
    expect(stdout).not.toContain("hunter2");
    const report = JSON.parse(stdout) as { check: string; verdict: string; message: string }[];
    const name = `the proxy 127.0.0.1:${proxy.port} (${scheme.toUpperCase()}_PROXY)`;
    expect(report[0]?.message).toBe(`server ${url} (from APPVARS_URL), through ${name}`);
    const verdicts = Object.fromEntries(report.map(({ check, verdict }) => [check, verdict]));
    expect(verdicts).toMatchObject({
      reachability: "ok",
      clock: "ok",
      credentials: "ok",
      tls: scheme === "https" ? "ok" : "warning",
    });
  });
});

describe("a command, with a proxy,", () => {
  it("a command does not use the proxy for a server of NO_PROXY", async () => {
    const { proxy, cli, url } = await proxiedCli("http");
    const direct = `http://0.0.0.0:${new URL(url).port}`;
    expect(await cli(`get PORT --url ${direct}`, { env: { NO_PROXY: "0.0.0.0" } })).toMatchObject({
      code: 0,
    });
    expect(proxy.requests).toEqual([]);
    expect(await cli(`get PORT --url ${direct}`)).toMatchObject({ code: 0 });
    expect(proxy.requests).toHaveLength(1);
  });

  it("a command refuses a variable that names no HTTP proxy, and doctor says so", async () => {
    const { cli } = await proxiedCli("http");
    const env = { HTTP_PROXY: "socks5://user:hunter2@127.0.0.1" };
    const refused = await cli("get PORT", { env });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/^appvars: HTTP_PROXY must be the URL/),
    ]);
    const { code, stdout } = await cli("doctor", { env });
    expect([code, stdout]).toEqual([
      2,
      expect.stringContaining("problem\tsettings\tHTTP_PROXY must be the URL"),
    ]);
    expect(stdout + refused.stderr).not.toContain("hunter2");
  });

  it("doctor blames the proxy for its refusals", async () => {
    const { cli, url } = await proxiedCli("https");
    const proxy = await httpProxy({
      answer: (socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"),
    });
    const { code, stdout } = await cli("doctor", {
      env: { HTTPS_PROXY: `127.0.0.1:${proxy.port}` },
    });
    const name = `the proxy 127.0.0.1:${proxy.port} (HTTPS_PROXY)`;
    expect([code, stdout.split("\n")[2]]).toEqual([
      5,
      `problem\treachability\t${name} does not connect to ${new URL(url).host} (status 403)` +
        "\tcorrect HTTPS_PROXY, or exclude the server with NO_PROXY",
    ]);
  });
});
