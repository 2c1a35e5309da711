import { isIPv4 } from "node:net";

export interface Endpoint {
  /** The name in lower case, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

const NAME =
  /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?))(?::(\d{1,5}))?$/;

/** Parses `host:port` or `host`, as in a URL; `undefined` for anything else. */
export function parseEndpoint(text: string, defaultPort: number): Endpoint | undefined {
  const [, address, name, port = String(defaultPort)] = NAME.exec(text) ?? [];
  const host = address ?? name;
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) return undefined;
  return { host: host.toLowerCase(), port: Number(port) };
}

/** Returns the host of a URL, without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

/** Returns `host:port`, with an IPv6 address in brackets. */
export function formatEndpoint({ host, port }: Endpoint): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Whether only this machine can reach a host, as in a URL or `--host`. */
export function isLoopback(host: string): boolean {
  return ["localhost", "::1", "[::1]"].includes(host) || (isIPv4(host) && host.startsWith("127."));
}
