import { UnauthorizedError } from "../domain/errors.js";
import { sign } from "../signing/sign.js";
import type { SignedParts } from "../signing/signature.js";

/** `hmac` signs each request; `headers` sends the secret itself, and so only fits a trusted network or TLS. */
export const AUTH_SCHEMES = ["hmac", "headers"] as const;

export type AuthScheme = (typeof AUTH_SCHEMES)[number];

/** An environment's credentials, as far as the client was given them. */
export interface ClientCredentials {
  apiKey: string | undefined;
  apiSecret: string | undefined;
}

/**
 * The headers that authenticate one request. A signature goes without a key too: the server then tries it
 * with every environment's secret.
 *
 * @throws UnauthorizedError when a credential that is needed is missing
 */
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
