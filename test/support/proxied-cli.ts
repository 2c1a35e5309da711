import { readFileSync } from "node:fs";
import { type CliOptions, runCli } from "./cli.js";
import { CREDENTIALS } from "./data.js";
import { httpProxy } from "./http-proxy.js";
import { runningServer } from "./running-server.js";
import { CLIENT_CA, TLS, tlsPath } from "./tls.js";

/**
 * A server that only the proxy can find, and a command line that has the proxy in its environment.
 */
export async function proxiedCli(scheme: "http" | "https") {
  const cert = readFileSync(tlsPath("other-host.pem"), "utf8");
  const server = await runningServer(
    scheme === "https" ? { tls: { cert, key: TLS.key, clientCa: CLIENT_CA } } : {},
  );
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
