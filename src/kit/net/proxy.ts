import { UnreachableError, UsageError } from "../text/errors.js";
import { hostOf } from "./endpoint.js";
import { reasonOf } from "./failures.js";
import { type TlsTexts, tlsOptions } from "./tls-options.js";

/** An HTTP proxy between the client and its server. */
export interface HttpProxy {
  /** The URL without user and password. */
  readonly url: URL;
  /** The user and the password, as the proxy expects them. */
  readonly headers: Readonly<Record<string, string>>;
  /** What messages say: `the proxy proxy.example.com:3128 (HTTPS_PROXY)`. */
  readonly name: string;
  /** The variable that names it; undefined for an option. */
  readonly from: string | undefined;
}

/** A server, and the way to it. */
export interface ServerRoute extends TlsTexts {
  origin: URL;
  /** The setting with the URL, for messages. */
  from?: string | undefined;
  /** Seconds for one request, from its start to the end of its answer. */
  timeout: number;
  /** The proxy that gets all requests for the origin. */
  proxy?: HttpProxy | undefined;
}

/**
 * @param from the variable that holds the URL
 * @throws UsageError, which does not quote the URL, since it may contain a password
 */
export function parseProxy(url: string | URL, from?: string): HttpProxy {
  const parsed = URL.canParse(String(url)) ? new URL(url) : undefined;
  const { protocol, pathname, search, hash } = parsed ?? {};
  const isHttp = protocol === "http:" || protocol === "https:";
  const credentials = parsed && tryDecode(`${parsed.username}:${parsed.password}`);
  if (!parsed || !isHttp || pathname !== "/" || search || hash || credentials === undefined) {
    throw new UsageError(
      `${from ?? "proxy"} must be the URL of an HTTP proxy, such as http://proxy.example.com:3128 or ` +
        "http://user:password@proxy.example.com:3128",
    );
  }
  const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
  return {
    url: new URL(parsed.origin),
    headers: credentials === ":" ? {} : { "proxy-authorization": authorization },
    name: `the proxy ${parsed.host}${from === undefined ? "" : ` (${from})`}`,
    from,
  };
}

/**
 * The options for connecting to a proxy. They have a name for TLS, since Node would take the
 * server's name from the header Host.
 */
export function proxyAddress({ url }: HttpProxy, ca: string | undefined) {
  const host = hostOf(url);
  return { host, port: url.port, ...tlsOptions({ ca }, host) };
}

function tryDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Thrown if a proxy can't be reached, or answers a request itself. */
export class ProxyError extends UnreachableError {
  /** The status of the proxy; undefined without an answer. */
  readonly status: number | undefined;
  constructor(message: string, { cause, status }: { cause?: unknown; status?: number }) {
    super(message, { cause });
    this.status = status;
  }
}

export function unreachableProxy({ name }: HttpProxy, cause: unknown): ProxyError {
  const hints = {
    refused: "is the proxy running?",
    plain: "should its URL begin with http:?",
    untrusted: "to trust it, use --ca-file, not SSL_CERT_FILE",
  };
  return new ProxyError(`can't reach ${name}: ${reasonOf(cause, hints)}`, { cause });
}

/** @param server that it was to connect to */
export function refusingProxy(
  { name, headers }: HttpProxy,
  server: string,
  status: number,
): ProxyError {
  const isKnown = headers["proxy-authorization"] !== undefined;
  const hint = isKnown
    ? "refuses the user and the password of its URL"
    : "requires a user and a password";
  const problem = status === 407 ? hint : `does not connect to ${server}`;
  return new ProxyError(`${name} ${problem} (status ${status})`, { status });
}
