import { connect } from "node:tls";
import { hostOf } from "../../kit/net/endpoint.js";
import type { ServerRoute } from "../../kit/net/proxy.js";
import { tlsOptions } from "../../kit/net/tls-options.js";
import { openTunnel } from "../../kit/net/tunnel.js";

export interface CertificateFacts {
  /** Unix milliseconds. */
  validTo: number;
  /** Why it is not trusted, such as `CERT_HAS_EXPIRED`. */
  refusal: string | undefined;
}

/**
 * Reads a server's certificate, trusted or not, over a TLS connection on which
 * nothing is sent. Resolves to `undefined` without a connection.
 */
export async function readCertificate(server: ServerRoute): Promise<CertificateFacts | undefined> {
  const { origin, proxy, ca } = server;
  const timeout = server.timeout * 1_000;
  const address = { host: hostOf(origin), port: Number(origin.port || 443) };
  const tunnel =
    proxy && (await openTunnel(address, { proxy, ca, timeout }).catch(() => undefined));
  if (proxy && !tunnel) return undefined;
  return new Promise((resolve) => {
    const tls = { ...tlsOptions(server, address.host), rejectUnauthorized: false };
    const socket = connect({ ...address, ...tls, socket: tunnel });
    const done = (facts?: CertificateFacts) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(facts);
    };
    const timer = setTimeout(done, timeout);
    socket.on("error", () => done()).once("close", () => done());
    socket.once("secureConnect", () => {
      const validTo = Date.parse(socket.getPeerCertificate().valid_to);
      // Typed as an Error; at run time it is the code.
      const refusal = socket.authorized ? undefined : String(socket.authorizationError);
      done({ validTo, refusal });
    });
  });
}
