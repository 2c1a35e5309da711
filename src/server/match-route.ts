import type { IncomingMessage } from "node:http";
import { ROUTES } from "../domain/routes.js";

const PATTERNS = Object.values(ROUTES).map((route) => ({ route, pattern: patternOf(route) }));

/** Matches the paths of a route. Unlike polka's own pattern, it is case-sensitive and allows no trailing slash. */
export function patternOf(route: string): RegExp {
  return new RegExp(`^${route.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
}

/** The route that a path without its query belongs to. */
export function routeOf(path: string): string | undefined {
  return PATTERNS.find(({ pattern }) => pattern.test(path))?.route;
}

/** A URL without a user, which is an error (RFC 9110, section 4.2.4). Its port may be empty. */
const ABSOLUTE = /^(https?):\/\/(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d*)?(?=[/?]|$)\/?/i;

/**
 * The path and query of a request's target, which may be sent as a URL (RFC 9112, section 3.2.2) with any host; other
 * targets unchanged. A URL with https over plain HTTP is none of this server (RFC 9110, section 7.4).
 */
export function originForm({ url = "", socket }: Pick<IncomingMessage, "url" | "socket">): string {
  // Nearly all requests.
  if (url.startsWith("/")) return url;
  const [start, scheme] = ABSOLUTE.exec(url) ?? [];
  if (start === undefined || (scheme?.length === 5 && !("encrypted" in socket))) return url;
  return `/${url.slice(start.length)}`;
}
