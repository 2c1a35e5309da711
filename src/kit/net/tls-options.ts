import { isIP } from "node:net";

/** PEM. */
export interface TlsPem {
  /** Certificates to trust in place of Node's. */
  readonly ca?: string | undefined;
  /** A certificate to present, and its key: both or none. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * The options of every outgoing TLS connection.
 *
 * @param host `undefined` if it differs from request to request
 */
export function tlsOptions({ ca, cert, key }: TlsPem, host?: string) {
  // TLS does not allow an IP address as the server name.
  const servername = host === undefined ? {} : { servername: isIP(host) ? "" : host };
  // NODE_TLS_REJECT_UNAUTHORIZED=0 changes the default.
  return { ca, cert, key, ...servername, rejectUnauthorized: true };
}
