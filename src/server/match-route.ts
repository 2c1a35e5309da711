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
