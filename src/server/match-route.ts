import type { IncomingMessage } from "node:http";
import { ROUTES } from "../model/routes.js";

const PATTERNS = Object.values(ROUTES).map((route) => ({ route, pattern: patternOf(route) }));

/**
 * Matches the paths of a route. Unlike polka's own pattern, it is case-sensitive and allows no
 * trailing slash.
 */
export function patternOf(route: string): RegExp {
  return new RegExp(`^${route.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
}

/** The route that a path without its query belongs to. */
export function routeOf(path: string): string | undefined {
  return PATTERNS.find(({ pattern }) => pattern.test(path))?.route;
}

/** Matches no URL with a user, which is an error (RFC 9110, section 4.2.4). */
const ORIGIN = /^http(s?):\/\/(?:[^/?#@:[]+|\[[\da-f:.]+\])(?::\d*)?(?:\/|(?=\?)|$)/i;

/**
 * The path and query of a target, which may be a URL (RFC 9112, section 3.2.2), with https only
 * over TLS (RFC 9110, 7.4).
 */
export function originForm({ url = "", socket }: Pick<IncomingMessage, "url" | "socket">): string {
  return url.replace(ORIGIN, (origin, isTls) => (isTls && !("encrypted" in socket) ? origin : "/"));
}
