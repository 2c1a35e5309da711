import { constants } from "node:crypto";
import type { Server as HttpServer, ServerOptions } from "node:http";
import { createServer, type Server } from "node:https";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import {
  type CertificateAndKey,
  checkCertifiedKey,
  parseCertificates,
} from "../../kit/crypto/certificates.js";
import { UsageError } from "../../kit/text/errors.js";

/** PEM. */
export interface TlsCredentials extends CertificateAndKey {
  /**
   * Certificates of authorities. Clients without a certificate from one of them
   * are refused.
   */
  clientCa?: string | undefined;
}

/**
 * Ciphers with forward secrecy, fast ones first: most processors have
 * instructions for AES.
 */
const CIPHERS =
  "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:" +
  "ECDHE+AES128+AESGCM:ECDHE+AESGCM:ECDHE+CHACHA20";

/** The time for a TLS handshake. */
const HANDSHAKE_MS = 5_000;

/**
 * HTTP/1.1 over TLS 1.2 and 1.3.
 *
 * @throws UsageError if the credentials can't be used
 */
export function createTlsServer(options: ServerOptions, tls: TlsCredentials): HttpServer {
  checkTlsCredentials(tls);
  const server: Server = createServer({
    ...options,
    ...contextOptions(tls),
    requestCert: tls.clientCa !== undefined,
    rejectUnauthorized: true,
    handshakeTimeout: HANDSHAKE_MS,
  });
  // Node would report an unreadable request.
  server
    .removeAllListeners("tlsClientError")
    .on("tlsClientError", (_error, socket) => socket.destroy());
  // As node:http does. A client that ends its side earlier has given up.
  server.on("secureConnection", (socket) => {
    socket.allowHalfOpen = true;
  });
  return server;
}

/**
 * Uses other credentials for new connections.
 *
 * @param before the credentials that the server was started with
 * @throws UsageError if they can't be used, or differ in whether there is a
 *   `clientCa`
 */
export function renewTls(
  server: HttpServer,
  before: TlsCredentials | undefined,
  tls: TlsCredentials,
): void {
  if (!before) throw new UsageError("the server was started without TLS");
  const [isMutual, wasMutual] = [tls, before].map(({ clientCa }) => clientCa !== undefined);
  if (isMutual !== wasMutual)
    throw new UsageError("tls.clientCa can be replaced, but not added or removed");
  checkTlsCredentials(tls);
  // Session tickets get new keys too, so that refused clients can't resume
  // sessions.
  (server as Server).setSecureContext(contextOptions(tls));
}

/** The name of each text in messages. */
type TlsNames = { readonly [Name in keyof Required<TlsCredentials>]: string };

/** @throws UsageError, which quotes none of the strings */
export function checkTlsCredentials(
  tls: TlsCredentials,
  names: TlsNames = { cert: "tls.cert", key: "tls.key", clientCa: "tls.clientCa" },
): void {
  checkCertifiedKey(tls, names);
  if (tls.clientCa !== undefined) parseCertificates(tls.clientCa, names.clientCa);
  try {
    createSecureContext(contextOptions(tls));
  } catch (error) {
    throw new UsageError(`${names.cert} can't be used: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function contextOptions({ cert, key, clientCa }: TlsCredentials): SecureContextOptions {
  return {
    cert,
    key,
    ca: clientCa,
    minVersion: "TLSv1.2",
    ciphers: CIPHERS,
    honorCipherOrder: true,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}
