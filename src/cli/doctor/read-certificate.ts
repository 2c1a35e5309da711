import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";

/** What a server shows of itself before anything is sent to it. */
export interface CertificateFacts {
  /** Unix time in milliseconds. */
  validFrom: number;
  validTo: number;
  /** Why it is not trusted, `CERT_HAS_EXPIRED`; undefined when it is. */
  refusal: string | undefined;
}

/**
 * Makes a TLS connection, over which nothing is sent, to look at the certificate, trusted or not.
 *
 * @param ca PEM certificates to trust instead of the system's
 * @param timeout seconds
 * @returns undefined when no TLS connection came about
 */
export function readCertificate(
  { hostname, port }: URL,
  ca: string | undefined,
  timeout: number,
): Promise<CertificateFacts | undefined> {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  // A name is sent along, an address must not be.
  const servername = isIP(host) ? "" : host;
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port || 443), servername, ca, rejectUnauthorized: false });
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
  // Node's types have an Error here; at run time it is the code.
  const refusal = socket.authorized ? undefined : String(socket.authorizationError);
  return { validFrom: Date.parse(valid_from), validTo: Date.parse(valid_to), refusal };
}
