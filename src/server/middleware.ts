import type { ServerResponse } from "node:http";
import type { Request } from "polka";
import { formatRateLimit } from "../model/http-headers.js";
import { MAX_TARGET, ROUTES } from "../model/routes.js";
import type { EnvironmentView } from "../service/environment-view.js";
import type { Service } from "../service/service.js";
import { type Authenticate, countHeader, type Identity } from "./authentication.js";
import type { AddressOf } from "./client-address.js";
import { errorReply, MESSAGES, TOO_MANY_REQUESTS } from "./error-replies.js";
import type { Counter, RateLimiter } from "./rate-limiter.js";
import { type HeaderList, NOT_STORED, type Reply } from "./replies.js";

export interface AppRequest extends Request {
  /** Exactly as sent. `url` is its path and query. */
  target: string;
  /** Set by `identifyAndCount`, as are the next fields. */
  identity: Identity;
  /** The problem of the request, for any sender. */
  malformation: Reply | undefined;
  /** The counter of the request, once it is counted. */
  counter?: Counter["kind"];
  /** See `sendReply`. */
  audit?(reply: Reply): Reply;
  /** See `sendReply`. */
  onAnswer?(reply: Reply): void;
  /** See `requestId`. */
  id?: string;
  /**
   * Headers of every answer to the request: caching and, once the request is counted, the rate
   * limit and the version of the data.
   */
  replyHeaders: HeaderList;
  /**
   * The data that its answer comes from, all of one revision; set for requests with valid
   * credentials.
   */
  view: EnvironmentView;
}

/** A step on the way to an answer. Without a reply, the next one follows. */
export type Step = (
  req: AppRequest,
  res: ServerResponse,
) => Reply | undefined | Promise<Reply | undefined>;

/** The reply of the first step that has one. */
export function firstReply(
  steps: readonly Step[],
  req: AppRequest,
  res: ServerResponse,
  start = 0,
): ReturnType<Step> {
  for (let index = start; index < steps.length; index++) {
    const reply = steps[index]?.(req, res);
    if (reply instanceof Promise)
      return reply.then((later) => later ?? firstReply(steps, req, res, index + 1));
    if (reply !== undefined) return reply;
  }
  return undefined;
}

const MAX_HEADER_FIELDS = 200;
const UNDER_V1 = /^\/v1(\/|$)/;

const CLOSE = ["Connection", "close"];
const NO_HOST = errorReply(400, "The Host header must be sent, once", CLOSE);
const TOO_MANY_HEADERS = errorReply(431, "The request has too many headers", CLOSE);
const TARGET_TOO_LONG = errorReply(414, MESSAGES.targetTooLong, CLOSE);
const BAD_TARGET = errorReply(
  400,
  "The request target must be a path or an http URL, with valid percent-encoding",
);
const TOO_MANY_WITHOUT_KEY = errorReply(
  429,
  "Too many requests without x-api-key, try again later or send it",
);
const UNAUTHORIZED = errorReply(401, MESSAGES.unauthorized, ["WWW-Authenticate", "HMAC"]);

/**
 * Finds out who sends a request, and counts it. Refuses only requests over the limit, or with a
 * signature that can't be checked now: other problems of the request are told within the limit.
 * Credentials are not checked where they make no difference, for `/healthz` and malformed requests.
 */
export function identifyAndCount(
  service: Service,
  authenticate: Authenticate,
  limiter: RateLimiter,
  addressOf: AddressOf,
): Step {
  return (req) => {
    req.malformation = findMalformation(req);
    const isAnonymous = req.malformation !== undefined || req.path === ROUTES.health;
    const identity = isAnonymous ? {} : authenticate(req, req.target);
    req.identity = identity;
    const { owner } = identity;
    let freshness: HeaderList = [];
    if (owner !== undefined) {
      req.view = service.view(owner.scope);
      freshness = service.freshness(owner.scope, req.view);
    }
    const counter = counterOf(req, addressOf);
    req.counter = counter.kind;
    const { rateLimit, retryAfter } = limiter.count(counter);
    const wait = retryAfter ?? identity.retryAfter;
    req.replyHeaders = NOT_STORED.concat(formatRateLimit(rateLimit, wait), freshness);
    if (wait === undefined) return undefined;
    return retryAfter === undefined ? TOO_MANY_WITHOUT_KEY : TOO_MANY_REQUESTS;
  };
}

/**
 * The API key's counter or, without valid credentials, the address's. Health checks have their own.
 */
function counterOf(req: AppRequest, addressOf: AddressOf): Counter {
  const { owner } = req.identity;
  if (owner) return { kind: "key", id: owner.current.api_key };
  return { kind: req.path === ROUTES.health ? "health" : "address", id: addressOf(req) };
}

/** Refuses malformed requests and, for everything under /v1, those without valid credentials. */
export const admit: Step = ({ malformation, path, identity }) => {
  if (malformation !== undefined) return malformation;
  return identity.owner === undefined && UNDER_V1.test(path) ? UNAUTHORIZED : undefined;
};

function findMalformation(req: AppRequest): Reply | undefined {
  // Names and values. With `maxHeadersCount`, Node would drop the others and serve the request.
  if (req.rawHeaders.length > 2 * MAX_HEADER_FIELDS) return TOO_MANY_HEADERS;
  const hosts = countHeader(req, "host");
  if (hosts > 1 || (hosts === 0 && req.httpVersion === "1.1")) return NO_HOST;
  if (req.target.length > MAX_TARGET) return TARGET_TOO_LONG;
  return isPath(req.url) ? undefined : BAD_TARGET;
}

/** False for the URL of another scheme, `*`, a fragment and broken percent-encoding. */
function isPath(target: string): boolean {
  if (!target.startsWith("/") || target.includes("#")) return false;
  if (!target.includes("%")) return true;
  try {
    decodeURIComponent(target.replace(/\?.*/, ""));
    return true;
  } catch {
    return false;
  }
}
