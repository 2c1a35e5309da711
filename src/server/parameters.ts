import { limitError, offsetError, type PageRequest, pageBounds } from "../domain/page.js";

type Query = Record<string, string | string[] | undefined>;

/**
 * `limit` and `offset` of a query, within their bounds. Other parameters are ignored.
 *
 * @throws UsageError that names the parameter: for 0, negative, fractional, empty, repeated, not decimal
 */
export function parsePage(query: Query): Required<PageRequest> {
  const request: PageRequest = {};
  if (query["limit"] !== undefined) request.limit = parseWhole(query["limit"], limitError);
  if (query["offset"] !== undefined) request.offset = parseWhole(query["offset"], offsetError);
  return pageBounds(request);
}

/** An id of a path; NaN, which no id is, for anything but plain digits. */
export function parseId(text: string): number {
  return /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN;
}

function parseWhole(value: string | string[], error: () => Error): number {
  if (typeof value !== "string" || !/^\d+$/.test(value)) throw error();
  // What is larger than any list is the same to both parameters.
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
}
