import type { IncomingHttpHeaders } from "node:http";
import { isIP, isIPv4, type Socket } from "node:net";
import { isProxyRange, proxyMatcher } from "../../kit/net/proxy-range.js";
import { UsageError } from "../../kit/text/errors.js";

/**
 * Returns the address that a request is counted and logged under, as
 * `clientAddress` does.
 */
export type AddressOf = (req: {
  readonly socket: Socket;
  readonly headers: IncomingHttpHeaders;
}) => string;

/**
 * Behind trusted proxies, the address is the last one in `X-Forwarded-For` that
 * is not a trusted proxy's: clients can forge the entries before it. If an
 * entry is not an IP address, the proxy that added it counts as the client. So
 * no client can choose its counter.
 *
 * @throws UsageError for a range that `isProxyRange` does not accept
 */
export function createAddressOf(trustProxy: readonly string[] = []): AddressOf {
  if (trustProxy.length === 0) return ({ socket }) => clientAddress(socket.remoteAddress);
  const invalid = trustProxy.find((range) => !isProxyRange(range));
  if (invalid !== undefined)
    throw new UsageError(`${JSON.stringify(invalid)} is not an address or a range of proxies`);
  const trusts = proxyMatcher(trustProxy);
  return ({ socket, headers }) => {
    const { remoteAddress } = socket;
    const isProxy = remoteAddress !== undefined && trusts(remoteAddress);
    return clientAddress(
      isProxy ? forwardedAddress(remoteAddress, headers, trusts) : remoteAddress,
    );
  };
}

/** @param proxy the address of the proxy that sent the headers */
function forwardedAddress(
  proxy: string,
  headers: IncomingHttpHeaders,
  trusts: (address: string) => boolean,
): string {
  // Node.js joins repeated headers by commas, in their order.
  let rest = String(headers["x-forwarded-for"] ?? "");
  let address = proxy;
  // From the right, entry by entry: a client can send thousands.
  for (let comma = rest.length; comma > 0; rest = rest.slice(0, comma)) {
    comma = rest.lastIndexOf(",");
    const entry = rest.slice(comma + 1).trim();
    if (isIP(entry) === 0) return address;
    address = entry;
    if (!trusts(entry)) return address;
  }
  return address;
}

/**
 * Returns an IPv4 address, such as 192.0.2.1 for `::ffff:192.0.2.1`, or the /64
 * of an IPv6 address, since one client usually has a whole /64. Zones are
 * ignored.
 *
 * @param remoteAddress `undefined` after the client has disconnected
 */
export function clientAddress(remoteAddress: string | undefined): string {
  if (remoteAddress === undefined) return "unknown";
  const address = remoteAddress.replace(/^::ffff:(?=[\d.]+$)/i, "");
  if (isIPv4(address)) return address;
  // The URL parser normalizes the address: lower case, no leading zeros, no
  // dotted quad.
  const { hostname } = new URL(`http://[${address.replace(/%.*/, "")}]`);
  const [head = [], tail] = hostname
    .slice(1, -1)
    .split("::")
    .map((part) => part.split(":").filter(Boolean));
  const zeros = Array<string>(tail ? 8 - head.length - tail.length : 0).fill("0");
  return `${[...head, ...zeros, ...(tail ?? [])].slice(0, 4).join(":")}::/64`;
}
