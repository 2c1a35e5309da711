import type { IncomingHttpHeaders } from "node:http";
import { isIP, type Socket } from "node:net";
import { isProxyRange, proxyMatcher } from "../../kit/net/proxy-range.js";
import { UsageError } from "../../kit/text/errors.js";
import { clientAddress } from "./rate-limiter.js";

/** The address that a request is counted and logged under, as `clientAddress` returns it. */
export type AddressOf = (req: {
  readonly socket: Socket;
  readonly headers: IncomingHttpHeaders;
}) => string;

/**
 * With trusted proxies, the address is the last one in `X-Forwarded-For` that is not of such a
 * proxy: the addresses left of it may be made up. Anything but an IP address ends the list too, and
 * the client is then the proxy that sent it: no client can choose the counter of a request.
 *
 * @param trustProxy ranges that `isProxyRange` accepts
 * @throws UsageError for anything else
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
  // From the right, entry by entry: a client can send thousands, which need not be split.
  for (let comma = rest.length; comma > 0; rest = rest.slice(0, comma)) {
    comma = rest.lastIndexOf(",");
    const [entry = ""] = /[^ \t](?:.*[^ \t])?/.exec(rest.slice(comma + 1)) ?? [];
    if (isIP(entry) === 0) return address;
    address = entry;
    if (!trusts(entry)) return address;
  }
  return address;
}
