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

/** Without a user, which is an error (RFC 9110, section 4.2.4). */
const ABSOLUTE = /^(https?):\/\/(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d*)?(?=[/?]|$)\/?/i;

/**
 * The path and query of a target that is a URL (RFC 9112, section 3.2.2), but not one with https over plain HTTP (RFC 9110,
 * section 7.4). Other targets are returned unchanged.
 */
export function originForm({ url = "", socket }: Pick<IncomingMessage, "url" | "socket">): string {
  // Nearly all requests.
  if (url.startsWith("/")) return url;
  const [start, scheme] = ABSOLUTE.exec(url) ?? [];
  if (start === undefined || (scheme?.length === 5 && !("encrypted" in socket))) return url;
  return `/${url.slice(start.length)}`;
}
