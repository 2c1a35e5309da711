/** Headers of responses. */
export const HEADERS = {
  "RateLimit-Limit": header("Requests allowed in one window.", { type: "integer", minimum: 1 }, 7_500),
  "RateLimit-Remaining": header("Requests left in this window.", { type: "integer", minimum: 0 }, 7_499),
  "RateLimit-Reset": header("Seconds until the window resets.", { type: "integer", minimum: 0 }, 60),
  "Cache-Control": constant("No cache may keep the answer.", "no-store"),
  "Retry-After": header("Seconds that a client must wait before it tries again.", { type: "integer", minimum: 1 }, 42),
  ETag: header(
    "Stands for the body. Send it back as `If-None-Match` to be answered 304 while the body is the same.",
    { type: "string", pattern: '^(W/)?"[^"]*"$' },
    '"51-uWPVUCGB0OGHVI0t7vIDmoFxSTw"',
  ),
  "WWW-Authenticate": constant("How to authenticate.", "HMAC"),
  Allow: constant("The methods that the path has.", "GET, HEAD"),
};

export type HeaderName = keyof typeof HEADERS;

/** What every response carries. */
export const COMMON_HEADERS = [
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "Cache-Control",
] as const satisfies HeaderName[];

function constant(description: string, value: string) {
  return header(description, { type: "string", const: value }, value);
}

function header(description: string, schema: object, example: string | number) {
  return { description, required: true, schema, example };
}
