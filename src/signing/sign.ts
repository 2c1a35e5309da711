import { formatAuthorization } from "./authorization.js";
import { computeSignature, type Secret, type SignedParts } from "./signature.js";

/**
 * The value of the `Authorization` header for one request: `HMAC <timestamp>:<signature>`.
 *
 * @example
 * sign({ timestamp: Date.now(), method: "GET", route: "/v1/variables?limit=2" }, apiSecret)
 * @throws RangeError for an empty secret
 */
export function sign(request: SignedParts, secret: Secret): string {
  return formatAuthorization({ timestamp: request.timestamp, signature: computeSignature(request, secret) });
}
