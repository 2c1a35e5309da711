import type { Middleware, Request } from "polka";
import { formatRateLimit } from "../domain/http-headers.js";
import { ROUTES } from "../domain/routes.js";
import type { EnvironmentView } from "../service/environment-view.js";
import type { Service } from "../service/service.js";
import type { Authenticate, Identity } from "./authentication.js";
import { type Counter, clientAddress, type RateLimiter } from "./rate-limiter.js";
import { MESSAGES, sendError } from "./replies.js";

export interface AppRequest extends Request {
  /** Set by `identify`. */
  identity: Identity;
  /** What is wrong with the request, whoever sends it; set by `identify`. */
  malformation: Malformation | undefined;
  /** The data that its answer comes from, all of one revision; set by `requireCredentials`. */
  view: EnvironmentView;
}

export type Handler = Middleware<AppRequest>;

interface Malformation {
  status: number;
  message: string;
  /** Whether the connection is closed too. */
  closes: boolean;
}

const MAX_TARGET_BYTES = 8 * 1_024;
const MAX_HEADER_FIELDS = 200;

const NO_HOST: Malformation = { status: 400, message: MESSAGES.noHost, closes: true };
const TOO_MANY_HEADERS: Malformation = { status: 431, message: MESSAGES.tooManyHeaders, closes: true };
const TARGET_TOO_LONG: Malformation = { status: 414, message: MESSAGES.targetTooLong, closes: true };
const BAD_TARGET: Malformation = { status: 400, message: MESSAGES.badTarget, closes: false };

/**
 * Finds out who sends a request, and refuses nothing yet: the rate limit comes first, and depends on it. Credentials
 * are not checked where they make no difference, for `/healthz` and malformed requests.
 */
export function identify(authenticate: Authenticate): Handler {
  return async (req, res, next) => {
    res.setHeader("Cache-Control", "no-store");
    req.malformation = findMalformation(req);
    const isAnonymous = req.malformation !== undefined || req.path === ROUTES.health;
    req.identity = isAnonymous ? {} : await authenticate(req, rawTarget(req));
    return next();
  };
}

/** Refuses a request that exceeds the limit, or whose signature could not be checked now. */
export function limitRate(limiter: RateLimiter): Handler {
  return async (req, res, next) => {
    const { rateLimit, retryAfter } = await limiter.count(counterOf(req));
    const wait = retryAfter ?? req.identity.retryAfter;
    for (const [name, value] of Object.entries(formatRateLimit(rateLimit, wait))) res.setHeader(name, value);
    if (wait === undefined) return next();
    return sendError(res, 429, retryAfter === undefined ? MESSAGES.tooManyWithoutKey : MESSAGES.tooManyRequests);
  };
}

/** The API key's counter or, without valid credentials, the address's. Health checks have their own. */
function counterOf({ identity, path, socket }: AppRequest): Counter {
  if (identity.environment) return { kind: "key", id: identity.environment.api_key };
  return { kind: path === ROUTES.health ? "health" : "address", id: clientAddress(socket.remoteAddress) };
}

export const refuseMalformed: Handler = ({ malformation }, res, next) => {
  if (malformation === undefined) return next();
  if (malformation.closes) res.setHeader("Connection", "close");
  return sendError(res, malformation.status, malformation.message);
};

function findMalformation(req: AppRequest): Malformation | undefined {
  // Names and values. With `maxHeadersCount`, Node would drop the others and serve the request.
  if (req.rawHeaders.length > 2 * MAX_HEADER_FIELDS) return TOO_MANY_HEADERS;
  const hosts = req.headersDistinct["host"]?.length ?? 0;
  if (hosts > 1 || (hosts === 0 && req.httpVersion === "1.1")) return NO_HOST;
  const target = rawTarget(req);
  if (target.length > MAX_TARGET_BYTES) return TARGET_TOO_LONG;
  return isPath(target) ? undefined : BAD_TARGET;
}

/** False for an absolute URL, `*`, a fragment and broken percent-encoding. */
function isPath(target: string): boolean {
  if (!target.startsWith("/") || target.includes("#")) return false;
  try {
    decodeURIComponent(target.replace(/\?.*/, ""));
    return true;
  } catch {
    return false;
  }
}

/** The request target exactly as sent. polka rewrites `req.url`, and drops a fragment. */
function rawTarget(req: AppRequest): string {
  return req._parsedUrl.raw;
}

export function requireCredentials(service: Service): Handler {
  return (req, res, next) => {
    const { environment } = req.identity;
    if (environment === undefined) {
      res.setHeader("WWW-Authenticate", "HMAC");
      return sendError(res, 401, MESSAGES.unauthorized);
    }
    req.view = service.view(environment);
    return next();
  };
}

export const methodNotAllowed: Handler = (_req, res) => {
  res.setHeader("Allow", "GET, HEAD");
  sendError(res, 405, MESSAGES.methodNotAllowed);
};
