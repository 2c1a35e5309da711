import { isLoopback } from "../../client/options.js";
import { type HttpProxy, parseProxy } from "../../client/proxy.js";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment names for a server. A server on this machine has none.
 *
 * @throws UsageError that names the variable, for a URL that can't be used
 */
export async function findProxy(server: URL, env: Env): Promise<HttpProxy | undefined> {
  if (isLoopback(server.hostname)) return undefined;
  const from = proxyVariables(server.protocol, env).find((name) => env[name]);
  if (from === undefined) return undefined;
  const { isExcluded } = await import("./no-proxy.js");
  if (isExcluded(server, env)) return undefined;
  const text = env[from] ?? "";
  return parseProxy(text.includes("://") ? text : `http://${text}`, from);
}

/** The variables that may name it, in their order. */
function proxyVariables(protocol: string, env: Env): string[] {
  if (protocol === "https:") return ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
  // A web server sets HTTP_PROXY of a CGI program to the header `Proxy` of the request (httpoxy.org).
  return ["http_proxy", ...(env["REQUEST_METHOD"] ? [] : ["HTTP_PROXY"]), "all_proxy", "ALL_PROXY"];
}
