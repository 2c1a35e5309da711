import polka from "polka";
import { limitError, offsetError, type PageRequest, pageBounds } from "../../model/reads/page.js";
import type { Read } from "../../model/reads/read.js";
import { ROUTES } from "../../model/reads/routes.js";
import { checkId } from "../../model/variable.js";

type Kind = keyof typeof ROUTES;

/**
 * Unlike polka's own patterns, these are case-sensitive and allow no trailing
 * slash.
 */
const PATTERNS = Object.entries(ROUTES).map(([kind, route]) => ({
  kind: kind as Kind,
  route,
  pattern: new RegExp(`^${route.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`),
}));

/** Returns the route of a path without its query. */
export function routeOf(path: string): string | undefined {
  return PATTERNS.find(({ pattern }) => pattern.test(path))?.route;
}

type ApiCall = Read | "health";
type Parse = (params: Readonly<Record<string, string>>, search: string) => ApiCall;

/**
 * The part of polka that finds a route. Its `handler` would parse the URL
 * again.
 */
interface Router {
  get(pattern: RegExp, parse: Parse): void;
  find(method: string, path: string): { params: Record<string, string>; handlers: Parse[] };
}

/**
 * Returns a function that finds what a request asks for, or `undefined` if no
 * route matches. It throws a UsageError for a page or an id out of bounds.
 */
export function createRouter() {
  const router = polka() as unknown as Router;
  for (const { kind, pattern } of PATTERNS)
    router.get(pattern, (params, search) => parseApiCall(kind, params, search));
  return (method: string, path: string, search: string): ApiCall | undefined => {
    const { params, handlers } = router.find(method, path);
    return handlers[0]?.(params, search);
  };
}

function parseApiCall(kind: Kind, params: Record<string, string>, search: string): ApiCall {
  switch (kind) {
    case "health":
      return kind;
    case "variables":
    case "values":
      return { kind, page: parsePage(search) };
    case "variable":
    case "value":
      return { kind, id: parseId(params["id"]) };
    case "valueByName":
    case "content":
      return { kind, name: decodeURIComponent(params["name"] ?? "") };
    case "valuesByName":
      return { kind, names: parseNames(search) };
    case "check":
      return { kind };
  }
}

/** Reads `names` of a query, which may be repeated; `undefined` without it. */
function parseNames(search: string): string[] | undefined {
  const lists = new URLSearchParams(search).getAll("names");
  return lists.length > 0 ? lists.join().split(",") : undefined;
}

/** @throws UsageError for anything but plain digits */
function parseId(text = ""): number {
  return checkId(/^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN);
}

/**
 * Reads `limit` and `offset` of a query. Other parameters are ignored.
 *
 * @throws UsageError for a parameter that is out of bounds, repeated or not a
 *   decimal number
 */
function parsePage(search: string): Required<PageRequest> {
  const query = new URLSearchParams(search);
  return pageBounds({
    ...(query.has("limit") && { limit: parseWhole(query.getAll("limit"), limitError) }),
    ...(query.has("offset") && { offset: parseWhole(query.getAll("offset"), offsetError) }),
  });
}

function parseWhole([text = "", ...others]: string[], error: () => Error): number {
  if (others.length > 0 || !/^\d+$/.test(text)) throw error();
  // Larger numbers would mean the same.
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}
