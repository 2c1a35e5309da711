import { formatEndpoint, parseEndpoint } from "../kit/net/endpoint.js";
import { UsageError } from "../kit/text/errors.js";

/** The endpoints of an etcd cluster, and the prefix of all keys of a store. */
export interface StoreAddress {
  /** Origins of the members' HTTP gateways, such as `http://10.0.0.1:2379`. */
  readonly endpoints: readonly string[];
  /** Begins and ends with a slash. */
  readonly prefix: string;
  /** The URL in its shortest form: `etcd://10.0.0.1:2379,10.0.0.2:2379/appvars`. */
  readonly url: string;
}

const STORE_URL = /^(etcds?):\/\/([^/?#@]+)(\/[^?#]*)?$/;
const PREFIX = /^(?:\/[A-Za-z0-9._-]+)+$/;

/**
 * @throws UsageError that does not quote the URL, which may hold a password by
 *   mistake
 */
export function parseStoreUrl(text: string, from: string): StoreAddress {
  const fail = (rule: string) => new UsageError(`${from} ${rule}`);
  if (text.includes("@"))
    throw fail(
      "must not contain a user or password: set APPVARS_STORE_USER and APPVARS_STORE_PASSWORD",
    );
  const [, scheme = "", hosts = "", path = ""] = STORE_URL.exec(text) ?? [];
  if (hosts === "") throw fail("must be like etcd://h1:2379,h2:2379/prefix, or etcds:// for TLS");
  const names = hosts.split(",").map((host) => {
    const endpoint = parseEndpoint(host, 2379);
    if (endpoint === undefined) throw fail("has an endpoint that is not HOST:PORT");
    return formatEndpoint(endpoint);
  });
  const prefix = path.replace(/\/$/, "") || "/appvars";
  if (!PREFIX.test(prefix))
    throw fail("has a prefix with other characters than letters, digits, '.', '_', '-' and '/'");
  const protocol = scheme === "etcds" ? "https" : "http";
  return {
    endpoints: names.map((name) => `${protocol}://${name}`),
    prefix: `${prefix}/`,
    url: `${scheme}://${names.join(",")}${prefix}`,
  };
}
