import { UnauthorizedError } from "../domain/errors.js";
import { type SignedParts, sign } from "../signing/sign.js";

/** `hmac` signs each request. `headers` sends the secret itself, so it needs TLS or a trusted network. */
export const AUTH_SCHEMES = ["hmac", "headers"] as const;

export type AuthScheme = (typeof AUTH_SCHEMES)[number];

interface ClientCredentials {
  apiKey?: string | undefined;
  apiSecret?: string | undefined;
}

/** The headers that authenticate one request. @throws UnauthorizedError if a required credential is missing */
export function authHeaders(
  scheme: AuthScheme,
  { apiKey, apiSecret }: ClientCredentials,
  request: SignedParts,
): Record<string, string> {
  if (!apiSecret) throw new UnauthorizedError("the API secret is missing");
  if (scheme === "hmac") return { ...(apiKey && { "x-api-key": apiKey }), authorization: sign(request, apiSecret) };
  if (!apiKey) throw new UnauthorizedError("the API key is missing");
  return { "x-api-key": apiKey, "x-api-secret": apiSecret };
}
