import type { Service } from "../service/service.js";
import type { Authenticate } from "./authentication.js";
import type { RateLimiter } from "./rate-limiter.js";
import { MESSAGES, sendError } from "./replies.js";
import { type AppRequest, type Handler, rawTarget } from "./request.js";

const MAX_TARGET_BYTES = 8 * 1_024;

/** Finds out who is asking, and lets nobody be refused yet: the rate limit comes first and depends on it. */
export function identify(authenticate: Authenticate): Handler {
  return (req, res, next) => {
    res.setHeader("Cache-Control", "no-store");
    req.environment = authenticate(req, rawTarget(req));
    return next();
  };
}

/** Counts the request, on the environment's counter or, without valid credentials, on its address's. */
export function limitRate(limiter: RateLimiter): Handler {
  return async (req, res, next) => {
    const { allowed, headers } = await limiter(counterOf(req));
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    return allowed ? next() : sendError(res, 429, MESSAGES.tooManyRequests);
  };
}

function counterOf({ environment, socket }: AppRequest): string {
  return environment ? `key ${environment.api_key}` : `address ${socket.remoteAddress}`;
}

/**
 * Refuses a missing or repeated Host, and targets that are too long or no path: absolute-form, `*`, a fragment, broken
 * percent-encoding.
 */
export const checkTarget: Handler = (req, res, next) => {
  const hosts = req.headersDistinct["host"]?.length ?? 0;
  if (hosts > 1 || (hosts === 0 && req.httpVersion === "1.1")) {
    res.setHeader("Connection", "close");
    return sendError(res, 400, MESSAGES.noHost);
  }
  const target = rawTarget(req);
  if (target.length > MAX_TARGET_BYTES) {
    res.setHeader("Connection", "close");
    return sendError(res, 414, MESSAGES.targetTooLong);
  }
  return isPath(target) ? next() : sendError(res, 400, MESSAGES.badTarget);
};

function isPath(target: string): boolean {
  if (!target.startsWith("/") || target.includes("#")) return false;
  try {
    decodeURIComponent(target.replace(/\?.*/, ""));
    return true;
  } catch {
    return false;
  }
}

export function requireCredentials(service: Service): Handler {
  return (req, res, next) => {
    if (req.environment === undefined) {
      res.setHeader("WWW-Authenticate", "HMAC");
      return sendError(res, 401, MESSAGES.unauthorized);
    }
    req.source = service.source(req.environment);
    return next();
  };
}

export const methodNotAllowed: Handler = (_req, res) => {
  res.setHeader("Allow", "GET, HEAD");
  sendError(res, 405, MESSAGES.methodNotAllowed);
};
