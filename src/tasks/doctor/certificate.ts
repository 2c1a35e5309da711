import { connect, type TLSSocket } from "node:tls";
import { hostOf } from "../../kit/net/endpoint.js";
import type { ServerRoute } from "../../kit/net/proxy.js";
import { tlsOptions } from "../../kit/net/tls-options.js";
import { openTunnel } from "../../kit/net/tunnel.js";

export interface CertificateFacts {
  /** Unix milliseconds. */
  validTo: number;
  /** Why it is not trusted, such as `CERT_HAS_EXPIRED`; undefined if it is trusted. */
  refusal: string | undefined;
}

/**
 * Makes a TLS connection, over which nothing is sent, to read the certificate, trusted or not.
 *
 * @returns undefined if no TLS connection was established
 */
export async function readCertificate(server: ServerRoute): Promise<CertificateFacts | undefined> {
  const { origin, timeout, proxy, ca } = server;
  const address = { host: hostOf(origin), port: Number(origin.port || 443) };
  const tunnel =
    proxy &&
    (await openTunnel(address, { proxy, ca, timeout: timeout * 1_000 }).catch(() => undefined));
  if (proxy && !tunnel) return undefined;
  return new Promise((resolve) => {
    const tls = { ...tlsOptions(server, address.host), rejectUnauthorized: false };
    const socket = connect({ ...address, ...tls, socket: tunnel });
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
  // Typed as an Error; at run time it is the code.
  const refusal = socket.authorized ? undefined : String(socket.authorizationError);
  return { validTo: Date.parse(socket.getPeerCertificate().valid_to), refusal };
}
