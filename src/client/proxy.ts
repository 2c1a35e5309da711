import type { LookupFunction } from "node:net";
import { hostOf } from "../domain/endpoint.js";
import { UnreachableError, UsageError } from "../domain/errors.js";
import { type TlsTexts, tlsOptions } from "../domain/tls-options.js";

/** An HTTP proxy between the client and its server. */
export interface HttpProxy {
  /** Without the user and the password. */
  readonly url: URL;
  /** The user and the password, as the proxy expects them. */
  readonly headers: Readonly<Record<string, string>>;
  /** For messages: `the proxy proxy.example.com:3128 (HTTPS_PROXY)`. */
  readonly name: string;
  /** The variable that names it; undefined for an option. */
  readonly from: string | undefined;
}

/** A server, and the way to it. */
export interface ServerRoute extends TlsTexts {
  origin: URL;
  /** Seconds for one request, from its start to the end of its answer. */
  timeout: number;
  /** Where all requests go, instead of to the origin. */
  proxy?: HttpProxy | undefined;
  /** In place of Node's name lookup. */
  lookup?: LookupFunction | undefined;
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

/** How to connect to it, with a name for TLS, since Node would take that from the header Host: the server's. */
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

/** Whether an error says why there is no tunnel. The TLS connection through one fails with other errors. */
export function isTunnelError(error: unknown): boolean {
  return error instanceof Error && "isOfProxy" in error;
}

/** The code of a failure for a status that the proxy itself answered with, other than 407. */
export const proxyStatusCode = (status: number) => `PROXY_${status}`;

export const PROXY_REFUSES_USER = "PROXY_407";

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused; is the proxy running?",
  EPROTO: "it does not speak TLS; should its URL begin with http:?",
  ETIMEDOUT: "no answer in time",
};

/**
 * The error for a failure between the client and the proxy, or for what the proxy itself answered.
 *
 * @param reason what to say of a failure that has nothing to do with proxies
 */
export function proxyError(
  { name, headers }: HttpProxy,
  origin: string,
  cause: NodeJS.ErrnoException,
  reason: string,
): UnreachableError {
  const { code = "" } = cause;
  const [, status] = /^PROXY_(\d+)$/.exec(code) ?? [];
  if (code === PROXY_REFUSES_USER) {
    const isKnown = "proxy-authorization" in headers;
    const refused = isKnown ? "refuses the user and the password of its URL" : "requires a user and a password";
    return new UnreachableError(`${name} ${refused} (status 407)`, { cause });
  }
  if (status !== undefined)
    return new UnreachableError(`${name} does not connect to ${origin}: it answers with status ${status}`, { cause });
  if (code.startsWith("HPE_")) return new UnreachableError(`${name} does not answer with HTTP`, { cause });
  return new UnreachableError(`can't reach ${name}: ${REASONS[code] ?? reason}`, { cause });
}
