import { NotFoundError, RateLimitedError, ServerError, UnauthorizedError, UsageError } from "../domain/errors.js";
import type { Health } from "../domain/source.js";
import { type Decoder, decodeErrorMessage, decodeHealth } from "./decode.js";
import type { HttpResponse } from "./transport.js";

/**
 * What a response of a data endpoint says.
 *
 * @throws the error that its status stands for; ServerError when it is not an answer of the contract
 */
export function interpret<T>(response: HttpResponse, decode: Decoder<T>): T {
  const { status } = response;
  if (status === 200) return decodeBody(response, decode);
  if (status === 401) throw new UnauthorizedError("the server refused the credentials");
  if (status === 429) throw rateLimited(response);
  if (status >= 500) throw new ServerError(`the server failed with status ${status}`, status);
  if (status >= 300 && status < 400) throw redirected(response);
  // A 404 of something else than appvars is no word on a variable.
  const message = decodeBody(response, decodeErrorMessage);
  if (status === 400) throw new UsageError(message);
  if (status === 404) throw new NotFoundError(message);
  throw new ServerError(`the server answered with status ${status}: ${message}`, status);
}

/** What a response of the health endpoint says: it has the same body whether all is well or not. */
export function interpretHealth(response: HttpResponse): { healthy: boolean; health: Health } {
  if (response.status !== 503) return { healthy: true, health: interpret(response, decodeHealth) };
  return { healthy: false, health: decodeBody(response, decodeHealth) };
}

function decodeBody<T>({ status, body }: HttpResponse, decode: Decoder<T>): T {
  try {
    return decode(JSON.parse(body));
  } catch {
    // The cause is left out: its message may quote the body, which may hold a value.
    throw new ServerError(`what answered with status ${status} does not speak the appvars API`, status);
  }
}

function redirected({ status, headers }: HttpResponse): ServerError {
  // What follows the path may be somebody's token.
  const [target] = (headers.location ?? "nowhere").split(/[?#]/);
  return new ServerError(`the server redirects to ${target}, which is not followed`, status);
}

function rateLimited({ headers }: HttpResponse): RateLimitedError {
  const seconds = Number(headers["retry-after"] ?? 0);
  // The contract says seconds; of anything else the backoff takes care.
  const retryAfter = Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
  return new RateLimitedError(`rate-limited by the server; it takes requests again in ${retryAfter} s`, retryAfter);
}
