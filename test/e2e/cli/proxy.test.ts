import { describe, expect, it } from "vitest";
import { BINARY, run } from "../../support/binary.js";
import { httpProxy } from "../../support/http-proxy.js";
import { proxiedCli } from "../../support/proxied-cli.js";

describe.each(["http", "https"] as const)("a command, with a proxy for %s,", (scheme) => {
  it("a command ends when its time is over, although the proxy is silent, and shows no password with DEBUG", async () => {
    const { env } = await proxiedCli(scheme);
    const silent = await httpProxy({ answer: () => {} });
    const variable = `${scheme.toUpperCase()}_PROXY`;
    const argv = [BINARY, "get", "PORT", "--timeout", "0.3", "--max-wait", "0"];
    const { code, stderr } = await run(process.execPath, argv, {
      ...env,
      [variable]: `http://user:hunter2@127.0.0.1:${silent.port}`,
      DEBUG: "*",
    });
    expect([code, stderr]).toEqual([
      5,
      expect.stringContaining(`the proxy 127.0.0.1:${silent.port} (${variable})`),
    ]);
    // As it is in the URL, and in the header for the proxy.
    for (const secret of ["hunter2", Buffer.from("user:hunter2").toString("base64")])
      expect(stderr).not.toContain(secret);
  });
});

describe("a command, with a proxy,", () => {
  it("run passes the variables of the proxy on unchanged", async () => {
    const { env } = await proxiedCli("http");
    const script = 'echo "$HTTP_PROXY" "$NO_PROXY"';
    const child = await run(process.execPath, [BINARY, "run", "--", "sh", "-c", script], {
      ...env,
      NO_PROXY: "x.example",
    });
    expect(child).toEqual({ code: 0, stdout: `${env["HTTP_PROXY"]} x.example\n`, stderr: "" });
  });
});
