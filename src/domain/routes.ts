/** The paths of the HTTP API (docs/http-api.md). The server registers them, the client fills them in. */
export const ROUTES = {
  variables: "/v1/variables",
  variable: "/v1/variables/:id",
  values: "/v1/variables-values",
  value: "/v1/variables-values/:id",
  valueByName: "/v1/variables-values-by-name/:name",
  contentByName: "/v1/variables-values-by-name/:name/content",
  health: "/healthz",
} as const;

const PATTERNS = Object.values(ROUTES).map((route) => ({ route, pattern: new RegExp(patternOf(route)) }));

/** The source of a regular expression that, unlike polka's own, is case-sensitive and allows no trailing slash. */
export function patternOf(route: string): string {
  return `^${route.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`;
}

/** The route that a path without its query belongs to. */
export function routeOf(path: string): string | undefined {
  return PATTERNS.find(({ pattern }) => pattern.test(path))?.route;
}
