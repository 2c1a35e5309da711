import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { BINARY, run } from "../../support/binary.js";
import { type CliOptions, runCli } from "../../support/cli.js";
import { DEVELOPMENT } from "../../support/data.js";
import { httpProxy } from "../../support/http-proxy.js";
import { runningServer } from "../../support/running-server.js";
import { CLIENT_CA, TLS, tlsPath } from "../../support/tls.js";

const CREDENTIALS = { APPVARS_API_KEY: DEVELOPMENT.apiKey, APPVARS_API_SECRET: DEVELOPMENT.apiSecret };

/** A server that only the proxy can find, and a command line that has the proxy in its environment. */
async function world(scheme: "http" | "https") {
  const cert = readFileSync(tlsPath("other-host.pem"), "utf8");
  const server = await runningServer(scheme === "https" ? { tls: { cert, key: TLS.key, clientCa: CLIENT_CA } } : {});
  const proxy = await httpProxy();
  const url = `${scheme}://other.example:${server.port}`;
  const env: Record<string, string> = {
    APPVARS_URL: url,
    ...CREDENTIALS,
    [`${scheme.toUpperCase()}_PROXY`]: `http://user:hunter2@127.0.0.1:${proxy.port}`,
    ...(scheme === "https" && {
      APPVARS_CA_FILE: tlsPath("other-host.pem"),
      APPVARS_CLIENT_CERT: tlsPath("client.pem"),
      APPVARS_CLIENT_KEY: tlsPath("client-key.pem"),
    }),
  };
  const cli = (line: string, options: CliOptions = {}) =>
    runCli(line.split(" "), { ...options, env: { ...env, ...options.env } });
  return { proxy, url, env, cli };
}

describe.each(["http", "https"] as const)("a command, with a proxy for %s,", (scheme) => {
  it("a command ends when its time is over, although the proxy is silent, and shows no password with DEBUG", async () => {
    const { env } = await world(scheme);
    const silent = await httpProxy({ answer: () => {} });
    const variable = `${scheme.toUpperCase()}_PROXY`;
    const argv = [BINARY, "get", "PORT", "--timeout", "0.3", "--max-wait", "0"];
    const { code, stderr } = await run(process.execPath, argv, {
      ...env,
      [variable]: `http://user:hunter2@127.0.0.1:${silent.port}`,
      DEBUG: "*",
    });
    expect([code, stderr]).toEqual([5, expect.stringContaining(`the proxy 127.0.0.1:${silent.port} (${variable})`)]);
    // As it is in the URL, and in the header for the proxy.
    for (const secret of ["hunter2", Buffer.from("user:hunter2").toString("base64")])
      expect(stderr).not.toContain(secret);
  });
});

describe("a command, with a proxy,", () => {
  it("run passes the variables of the proxy on unchanged", async () => {
    const { env } = await world("http");
    const script = 'echo "$HTTP_PROXY" "$NO_PROXY"';
    const child = await run(process.execPath, [BINARY, "run", "--", "sh", "-c", script], {
      ...env,
      NO_PROXY: "x.example",
    });
    expect(child).toEqual({ code: 0, stdout: `${env["HTTP_PROXY"]} x.example\n`, stderr: "" });
  });
});
