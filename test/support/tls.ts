import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { fileURLToPath } from "node:url";

// Made with openssl, valid from 2020 to 2120. The servers' are self-signed, for 127.0.0.1 and
// localhost.
export const tlsPath = (name: string) => fileURLToPath(new URL(`tls/${name}`, import.meta.url));
const read = (name: string) => readFileSync(tlsPath(name), "utf8");

/** Of a server. */
export const TLS = { cert: read("certificate.pem"), key: read("key.pem") };
/** Of the same server, later. */
export const RENEWED = { cert: read("renewed.pem"), key: read("renewed-key.pem") };
/** The authority of {@link CLIENT}. */
export const CLIENT_CA = read("authority.pem");
/** Of a client. */
export const CLIENT = { cert: read("client.pem"), key: read("client-key.pem") };

/** Trusts both certificates of the server. */
export function connectTls({ port }: { port: number }, options: ConnectionOptions = {}): TLSSocket {
  return connect({ host: "127.0.0.1", port, ca: [TLS.cert, RENEWED.cert], ...options });
}

/** Resolves after the handshake. */
export async function openTlsSocket(
  server: { port: number },
  options?: ConnectionOptions,
): Promise<TLSSocket> {
  const socket = connectTls(server, options);
  await once(socket, "secureConnect");
  return socket;
}

/** Serial number of the certificate that a server showed. */
export function serialOf(socket: TLSSocket): string {
  return socket.getPeerCertificate().serialNumber;
}
