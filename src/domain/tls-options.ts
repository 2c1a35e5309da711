import { isIP } from "node:net";

/** PEM texts. */
export interface TlsTexts {
  /** Certificates to trust in place of Node's. */
  readonly ca?: string | undefined;
  /** A certificate to present, and its key: both or none. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * The options of every outgoing TLS connection. They are explicit, since NODE_TLS_REJECT_UNAUTHORIZED=0 and
 * `--tls-min-v1.0` in NODE_OPTIONS change the defaults.
 *
 * @param host that is connected to; undefined if that differs from request to request
 */
export function tlsOptions({ ca, cert, key }: TlsTexts, host?: string) {
  const minVersion = "TLSv1.2" as const;
  // TLS does not allow an IP address as the server name.
  const servername = host === undefined ? {} : { servername: isIP(host) ? "" : host };
  return { ca, cert, key, ...servername, minVersion, rejectUnauthorized: true };
}
