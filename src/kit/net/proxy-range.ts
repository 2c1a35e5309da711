import { isIP } from "node:net";

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
