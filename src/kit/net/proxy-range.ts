import { BlockList, isIP } from "node:net";

/**
 * Whether a string is `loopback`, an IP address, or a CIDR range other than
 * `/0`.
 */
export function isProxyRange(text: string): boolean {
  try {
    proxyMatcher([text]);
    return true;
  } catch {
    return false;
  }
}

const LOOPBACK = ["127.0.0.0/8", "::1"];
/** An address without a zone (`%eth0`), and a prefix. */
const RANGE = /^([^/%]+)(?:\/([1-9]\d{0,2}))?$/;

/**
 * Returns a function that checks whether an IP address, even IPv4-mapped, is in
 * one of the ranges.
 *
 * @throws a TypeError or a RangeError unless {@link isProxyRange} accepts each
 *   text
 */
export function proxyMatcher(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges.flatMap((text) => (text === "loopback" ? LOOPBACK : text))) {
    const [, address = "", prefix] = RANGE.exec(range) ?? [];
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (address) => {
    const [unscoped = ""] = address.split("%");
    return list.check(unscoped, familyOf(unscoped));
  };
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}
