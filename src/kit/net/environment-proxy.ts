import { isLoopback } from "./endpoint.js";
import { type HttpProxy, parseProxy } from "./proxy.js";

/**
 * Returns the proxy that the environment names for a server; none for a server
 * on this machine. The package proxy-from-env (2.1.0) reads only process.env,
 * does not return the variable's name, and lets CGI requests set HTTP_PROXY.
 *
 * @throws UsageError that names the variable, for a URL that can't be used
 */
export function findProxy(server: URL, env: NodeJS.ProcessEnv): HttpProxy | undefined {
  // For a CGI program, HTTP_PROXY is the header `Proxy` of the request
  // (httpoxy.org).
  const ownNames =
    server.protocol === "https:"
      ? ["https_proxy", "HTTPS_PROXY"]
      : ["http_proxy", ...(env["REQUEST_METHOD"] ? [] : ["HTTP_PROXY"])];
  for (const name of [...ownNames, "all_proxy", "ALL_PROXY"]) {
    const text = env[name];
    if (!text) continue;
    const isDirect =
      isLoopback(server.hostname) || isExcluded(server, env["no_proxy"] || env["NO_PROXY"] || "");
    return isDirect ? undefined : parseProxy(text.includes("://") ? text : `http://${text}`, name);
  }
  return undefined;
}

/**
 * @param list hosts, with or without ports: `vars.example:8443`, `.example`,
 *   `*.example`, `*`
 */
function isExcluded({ protocol, hostname, port }: URL, list: string): boolean {
  const ownPort = port || (protocol === "https:" ? "443" : "80");
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, name = "", namedPort = ownPort] = /^(.+?)(?::(\d+))?$/.exec(entry) ?? [];
      const isNamed = /^[.*]/.test(name)
        ? hostname.endsWith(name.replace("*", ""))
        : hostname === name;
      return name !== "" && isNamed && namedPort === ownPort;
    });
}
