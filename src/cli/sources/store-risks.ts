import { isLoopback } from "../../client/options.js";
import type { StorePlace } from "../settings/data-place.js";

/** One warning if what is sent to other machines is not encrypted, otherwise none. */
export function openTrafficWarning({ address: { endpoints, url } }: StorePlace): string[] {
  const isOpen = endpoints
    .map((origin) => new URL(origin))
    .some(({ protocol, hostname }) => protocol === "http:" && !isLoopback(hostname));
  return isOpen ? [`${url}: without TLS the traffic can be read; use etcds://`] : [];
}
