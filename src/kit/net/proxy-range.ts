import { BlockList, isIP } from "node:net";

/**
 * Whether a text names proxies: `loopback`, an IP address, or a range of them in CIDR notation. A
 * prefix of 0, which would be everybody, is not valid.
 */
export function isProxyRange(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  if (text === "loopback") return true;
  // Node.js takes an address with a zone, such as `fe80::1%eth0`.
  if (isIP(address) === 0 || address.includes("%") || rest.length > 0) return false;
  return (
    prefix === undefined ||
    (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (isIP(address) === 4 ? 32 : 128))
  );
}

const LOOPBACK = ["127.0.0.0/8", "::1"];

/**
 * Returns whether an IP address is one of these proxies, also for an IPv4 address that is written
 * as IPv6.
 *
 * @param ranges texts that {@link isProxyRange} accepts
 */
export function proxyMatcher(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges.flatMap((text) => (text === "loopback" ? LOOPBACK : text))) {
    const [address = "", prefix] = range.split("/");
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
