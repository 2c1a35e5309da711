import {
  NotFoundError,
  RateLimitedError,
  RefusedCredentialsError,
  ServerError,
  type UnauthorizedError,
  UsageError,
  WrongClockError,
} from "../kit/text/errors.js";
import { JsonError, parseJson } from "../kit/text/strict-json.js";
import { parseDataAge, parseRetryAfter } from "../model/http-headers.js";
import type { Health } from "../model/source.js";
import { compareClocks } from "../signing/sign.js";
import { BrokenRuleError, type Decoder, decodeError, decodeHealth } from "./decode.js";
import { TRANSIENT_STATUSES } from "./retry.js";
import type { HttpResponse } from "./transport.js";

/** Elements and members in one answer: 2,000 for each item of the largest page. */
const MAX_ITEMS = 2_000_000;

/**
 * The content of a response from a data route.
 *
 * @param signedAt the time in the signature of the request, in Unix milliseconds
 * @throws the error for its status; ServerError for anything that is not an answer of the API
 */
export function interpret<T>(response: HttpResponse, decode: Decoder<T>, signedAt?: number): T {
  const { status, headers, forwarder } = response;
  if (status === 200) return decodeBody(response, decode);
  if (status === 429) {
    const wait = parseRetryAfter(headers) ?? 0;
    throw new RateLimitedError(
      `rate-limited by the server; it accepts requests again in ${wait} s`,
      wait,
    );
  }
  if (status >= 500 || TRANSIENT_STATUSES.includes(status)) {
    const failed = forwarder === undefined ? "the server" : `the request through ${forwarder}`;
    throw new ServerError(`${failed} failed with status ${status}`, status);
  }
  if (headers.location !== undefined && status >= 300 && status < 400)
    throw new ServerError(
      `the server redirects to ${redirectTarget(headers.location)}, which is not followed`,
      status,
    );
  // Decoded first: a 401 or 404 from another server tells nothing about the credentials or a
  // variable.
  const { message } = decodeBody(response, decodeError);
  if (status === 400) throw new UsageError(message);
  if (status === 401) throw refused(headers.date, signedAt);
  if (status === 404) throw new NotFoundError(message);
  throw new ServerError(`the server answered with status ${status}: ${message}`, status);
}

/**
 * The content of a response from the health route.
 *
 * @throws as `interpret`, but ServerError for 400, 401 and 404
 */
export function interpretHealth(response: HttpResponse): { healthy: boolean; health: Health } {
  const { status } = response;
  const healthy = status === 200;
  // 503 has the same body as 200. An appvars server sends the others for other routes only.
  const isDecoded = [400, 401, 404, 503].includes(status);
  const health = isDecoded ? decodeBody(response, decodeHealth) : interpret(response, decodeHealth);
  const age = parseDataAge(response.headers);
  return { healthy, health: age === undefined ? health : { ...health, data_age: age } };
}

/** @returns the error for a 401: without a date or a signature, the credentials are wrong */
function refused(date = "", signedAt = Number.NaN): UnauthorizedError {
  // The date is rounded down to seconds.
  const { seconds, limit, message } = compareClocks(signedAt - Date.parse(date) - 500);
  if (seconds >= limit) return new WrongClockError(`the server refused the signature: ${message}`);
  return new RefusedCredentialsError();
}

/**
 * The target of a redirect, for messages: without a query, a fragment or a user, which may hold a
 * token.
 */
export function redirectTarget(location = ""): string {
  return location.replace(/[?#].*/s, "").replace(/(?<![^/\\])[^/\\]+@/g, "") || "nowhere";
}

function decodeBody<T>(response: HttpResponse, decode: Decoder<T>): T {
  const { status, body, forwarder } = response;
  const route = forwarder === undefined ? "" : ` through ${forwarder}`;
  const foreign = `not an appvars server${route} (status ${status})`;
  try {
    return decode(parseJson(body, MAX_ITEMS));
  } catch (error) {
    const isInexact = error instanceof JsonError && error.kind === "inexact number";
    if (isInexact || error instanceof BrokenRuleError)
      throw new ServerError(`${foreign}: ${error.message}`, status);
    throw new ServerError(foreign, status);
  }
}
