import type { LookupFunction } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { hostOf } from "../domain/endpoint.js";
import { type TlsTexts, tlsOptions } from "../domain/tls-options.js";
import type { HttpProxy } from "./proxy.js";
import { openTunnel } from "./tunnel.js";

export interface CertificateFacts {
  /** Unix milliseconds. */
  validFrom: number;
  validTo: number;
  /** Why it is not trusted, such as `CERT_HAS_EXPIRED`; undefined if it is trusted. */
  refusal: string | undefined;
}

export interface CertificateRoute {
  /** Seconds. */
  timeout: number;
  proxy?: HttpProxy | undefined;
  /** In place of Node's name lookup. */
  lookup?: LookupFunction | undefined;
}

/**
 * Makes a TLS connection, over which nothing is sent, to read the certificate, trusted or not.
 *
 * @param texts the certificates to trust instead of the system's, and the client's own
 * @returns undefined if no TLS connection was established
 */
export async function readCertificate(
  url: URL,
  texts: TlsTexts,
  { timeout, proxy, lookup }: CertificateRoute,
): Promise<CertificateFacts | undefined> {
  const host = hostOf(url);
  const address = { host, port: Number(url.port || 443) };
  const route = { timeout: timeout * 1_000, ca: texts.ca, lookup };
  const tunnel = proxy && (await openTunnel(address, { proxy, ...route }).catch(() => undefined));
  if (proxy && !tunnel) return undefined;
  return new Promise((resolve) => {
    const options = { ...tlsOptions(texts, host), rejectUnauthorized: false };
    const socket = connect({ ...address, ...options, socket: tunnel, lookup });
    const done = (facts?: CertificateFacts) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(facts);
    };
    const timer = setTimeout(done, timeout * 1_000);
    socket.once("secureConnect", () => done(factsOf(socket)));
    socket.on("error", () => done());
    socket.once("close", () => done());
  });
}

function factsOf(socket: TLSSocket): CertificateFacts {
  const { valid_from, valid_to } = socket.getPeerCertificate();
  // Typed as an Error; at run time it is the code.
  const refusal = socket.authorized ? undefined : String(socket.authorizationError);
  return { validFrom: Date.parse(valid_from), validTo: Date.parse(valid_to), refusal };
}
