import { isLoopback } from "./endpoint.js";
import { type HttpProxy, parseProxy } from "./proxy.js";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment names for a server. A server on this machine has none.
 *
 * @throws UsageError that names the variable, for a URL that can't be used
 */
export function findProxy(server: URL, env: Env): HttpProxy | undefined {
  // A web server sets HTTP_PROXY of a CGI program to the header `Proxy` of the request
  // (httpoxy.org).
  const ownNames =
    server.protocol === "https:"
      ? ["https_proxy", "HTTPS_PROXY"]
      : ["http_proxy", ...(env["REQUEST_METHOD"] ? [] : ["HTTP_PROXY"])];
  const from = [...ownNames, "all_proxy", "ALL_PROXY"].find((name) => env[name]);
  if (from === undefined || isLoopback(server.hostname)) return undefined;
  if (isExcluded(server, env["no_proxy"] || env["NO_PROXY"] || "")) return undefined;
  const text = env[from] ?? "";
  return parseProxy(text.includes("://") ? text : `http://${text}`, from);
}

// The package proxy-from-env (2.1.0) reads process.env alone, tells no variable, and lets CGI
// requests set HTTP_PROXY.
/**
 * @param list names and their ports: `vars.example:8443`, `.example` and `*.example` for all that
 *   end with it, `*`
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
