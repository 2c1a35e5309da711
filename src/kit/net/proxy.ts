import { UnreachableError, UsageError } from "../text/errors.js";
import { hostOf } from "./endpoint.js";
import { reasonOf } from "./failures.js";
import { type TlsPem, tlsOptions } from "./tls-options.js";

/** An HTTP proxy between the client and its server. */
export interface HttpProxy {
  /** The URL without user and password. */
  readonly url: URL;
  /** The user and password of the URL, if any. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its name in messages: `the proxy proxy.example.com:3128 (HTTPS_PROXY)`. */
  readonly name: string;
  /** The variable that names it; `undefined` for an option. */
  readonly from: string | undefined;
}

/** A server, and how to reach it. */
export interface ServerRoute extends TlsPem {
  origin: URL;
  /** The setting with the URL, for messages. */
  from?: string | undefined;
  /** Seconds for one request, from its start to the end of its answer. */
  timeout: number;
  /** The proxy that gets all requests for the origin. */
  proxy?: HttpProxy | undefined;
}

/**
 * @param from the variable with the URL
 * @throws UsageError, which does not quote the URL: it may contain a password
 */
export function parseProxy(url: string | URL, from?: string): HttpProxy {
  try {
    const { origin, host, protocol, pathname, search, hash, username, password } = new URL(url);
    const isHttp = protocol === "http:" || protocol === "https:";
    const credentials = decodeURIComponent(`${username}:${password}`);
    if (isHttp && pathname === "/" && search === "" && hash === "") {
      const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
      return {
        url: new URL(origin),
        headers: credentials === ":" ? {} : { "proxy-authorization": authorization },
        name: `the proxy ${host}${from === undefined ? "" : ` (${from})`}`,
        from,
      };
    }
  } catch {}
  throw new UsageError(
    `${from ?? "proxy"} must be the URL of an HTTP proxy, such as http://proxy.example.com:3128 ` +
      "or http://user:password@proxy.example.com:3128",
  );
}

/**
 * The options for connecting to a proxy, with its name for TLS: by default,
 * Node takes the name in the header Host.
 */
export function proxyAddress({ url }: HttpProxy, ca: string | undefined) {
  const host = hostOf(url);
  return { host, port: url.port, ...tlsOptions({ ca }, host) };
}

/** Thrown if a proxy can't be reached, or refuses a request. */
export class ProxyError extends UnreachableError {
  /** `undefined` without an answer. */
  readonly status: number | undefined;
  constructor(message: string, { cause, status }: { cause?: unknown; status?: number }) {
    super(message, { cause });
    this.status = status;
  }
}

export function proxyUnreachableError({ name }: HttpProxy, cause: unknown): ProxyError {
  const hints = {
    refused: "is the proxy running?",
    plain: "should its URL begin with http:?",
    untrusted: "to trust it, use --ca-file, not SSL_CERT_FILE",
  };
  return new ProxyError(`can't reach ${name}: ${reasonOf(cause, hints)}`, { cause });
}

export function proxyRefusedError(
  { name, headers }: HttpProxy,
  server: string,
  status: number,
): ProxyError {
  const denial = headers["proxy-authorization"]
    ? "refuses the user and the password of its URL"
    : "requires a user and a password";
  const problem = status === 407 ? denial : `does not connect to ${server}`;
  return new ProxyError(`${name} ${problem} (status ${status})`, { status });
}
