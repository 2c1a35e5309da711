import type { IncomingMessage } from "node:http";
import { MAX_TARGET } from "../../model/reads/routes.js";
import type { Reply } from "../wire/replies.js";
import { BAD_TARGET, NO_HOST, TARGET_TOO_LONG, TOO_MANY_HEADERS } from "./error-replies.js";

const MAX_HEADER_FIELDS = 200;

/** Excludes a URL with a user, which is an error (RFC 9110, section 4.2.4). */
const ORIGIN = /^http(s?):\/\/(?:[^/?#@:[]+|\[[\da-f:.]+\])(?::\d*)?(?:\/|(?=\?)|$)/i;

/**
 * Returns path and query of a target, which may be a URL (RFC 9112, 3.2.2;
 * https: RFC 9110, 7.4).
 */
export function toOriginForm({
  url = "",
  socket,
}: Pick<IncomingMessage, "url" | "socket">): string {
  return url.replace(ORIGIN, (origin, isTls) => (isTls && !("encrypted" in socket) ? origin : "/"));
}

/**
 * Returns the refusal of a request that is invalid for any sender.
 *
 * @param url in origin form
 */
export function findMalformation(req: IncomingMessage, url: string): Reply | undefined {
  // With `maxHeadersCount`, Node would drop the excess headers and serve the
  // request.
  if (req.rawHeaders.length > 2 * MAX_HEADER_FIELDS) return TOO_MANY_HEADERS;
  const hosts = countHeader(req, "host");
  if (hosts > 1 || (hosts === 0 && req.httpVersion === "1.1")) return NO_HOST;
  if ((req.url ?? "").length > MAX_TARGET) return TARGET_TOO_LONG;
  return isPath(url) ? undefined : BAD_TARGET;
}

/**
 * Returns `false` for the URL of another scheme, `*`, a fragment, and broken
 * percent-encoding.
 */
function isPath(target: string): boolean {
  if (!target.startsWith("/") || target.includes("#")) return false;
  if (!target.includes("%")) return true;
  try {
    decodeURIComponent(target.replace(/\?.*/, ""));
    return true;
  } catch {
    return false;
  }
}

/** Counts how often a request has a header. @param name in lower case */
export function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? "";
    // The length first: `headersDistinct`, which copies all headers, takes 20
    // times as long.
    if (sent.length === name.length && sent.toLowerCase() === name) count++;
  }
  return count;
}
