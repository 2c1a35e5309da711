import { isIPv4 } from "node:net";

/** Whether a host, as `--host` takes it or a URL has it, can be reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return ["localhost", "::1", "[::1]"].includes(host) || (isIPv4(host) && host.startsWith("127."));
}
