import { NotFoundError } from "../../kit/text/errors.js";
import { isVariableName } from "../variable.js";
import type { Read } from "./read.js";

/**
 * The paths of the HTTP API (docs/http-api.md): one for each kind of read, and
 * for health.
 */
export const ROUTES = {
  variables: "/v1/variables",
  variable: "/v1/variables/:id",
  values: "/v1/variables-values",
  value: "/v1/variables-values/:id",
  valueByName: "/v1/variables-values-by-name/:name",
  content: "/v1/variables-values-by-name/:name/content",
  valuesByName: "/v1/variables-values-by-name",
  check: "/v1/check",
  health: "/healthz",
} as const satisfies Record<Read["kind"] | "health", string>;

/** The maximum length of a target (path and query), in bytes. */
export const MAX_TARGET = 8_192;

/**
 * The maximum length without a key, or from an address with no requests left:
 * eight HMACs over 8 KiB cost as much as six answers. It is enough for any
 * percent-encoded name, and for a page.
 */
export const MAX_KEYLESS_TARGET = 1_024;

/**
 * @throws NotFoundError for an invalid name, which could have a meaning in a
 *   path
 */
export function targetOf(read: Read): string {
  const route = ROUTES[read.kind];
  if ("page" in read) return `${route}?limit=${read.page.limit}&offset=${read.page.offset}`;
  if ("id" in read) return route.replace(":id", String(read.id));
  // Invalid names have no value.
  if ("names" in read && read.names)
    return `${route}?names=${read.names.filter(isVariableName).join(",")}`;
  if (!("name" in read)) return route;
  if (!isVariableName(read.name)) throw new NotFoundError();
  return route.replace(":name", read.name);
}
