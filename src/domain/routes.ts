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
