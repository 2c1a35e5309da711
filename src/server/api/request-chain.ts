import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { NotFoundError, UsageError } from "../../kit/text/errors.js";
import { qualifiedName } from "../../model/environment.js";
import { DATA_AGE_HEADER } from "../../model/reads/http-headers.js";
import { ROUTES } from "../../model/reads/routes.js";
import type { EnvironmentView } from "../../service/environment-view.js";
import type { Identity } from "../limits/keyless-search.js";
import { type CounterKey, rateLimitHeaders } from "../limits/rate-limiter.js";
import { type HeaderList, jsonReply, NO_STORE, type Reply, sendReply } from "../wire/replies.js";
import { findMalformation, toOriginForm } from "./arrival.js";
import type { Audit } from "./audit.js";
import { type AuthenticationParts, Authenticator } from "./authentication.js";
import { DataReplies, type DataReply } from "./data-replies.js";
import {
  errorReply,
  INTERNAL_ERROR,
  METHOD_NOT_ALLOWED,
  NOT_RECORDED,
  notFound,
  refusesTooMany,
  TOO_MANY_REQUESTS,
  TOO_MANY_WITHOUT_KEY,
  UNAUTHORIZED,
} from "./error-replies.js";
import { type Faults, simulateArrival, simulateFailure } from "./faults.js";
import { createRouter, routeOf } from "./routes.js";
import { requestId, type ServedRequest } from "./served-request.js";

export interface RequestOptions {
  /**
   * Milliseconds: `/healthz` answers 503 while a store's data is older. Default
   * no limit.
   */
  maxStale?: number;
  /** Faults to simulate. Default none. */
  faults?: Faults;
  /**
   * Called with errors that clients see as status 500, and by `serve` with an
   * InvalidDataError if the data file can't be reloaded. By default, they are
   * dropped.
   */
  onInternalError?: (error: unknown) => void;
  /** Called for every answered request. */
  onRequest?: ((request: ServedRequest) => void) | undefined;
  /** Records each request, except for `/healthz`, before it is answered. */
  audit?: Audit | undefined;
}

export type RequestChainParts = RequestOptions & AuthenticationParts;

interface Arrived {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Path and query. */
  readonly url: string;
  readonly path: string;
  /** The refusal of a request that is invalid for any sender. */
  readonly malformation: Reply | undefined;
  /**
   * The time and address for logs and metrics, read now: the client may
   * disconnect.
   */
  readonly origin: { readonly at: number; readonly address: string } | undefined;
}

interface Identified {
  readonly arrived: Arrived;
  readonly identity: Identity;
  /** The data to answer from, of one revision, for valid credentials. */
  readonly view?: EnvironmentView | undefined;
}

interface Counted extends Identified {
  readonly counter?: CounterKey["kind"];
  /**
   * Headers of every answer: caching, the rate limit and the version of the
   * data.
   */
  readonly headers: HeaderList;
  /** The answer to a request that must wait. */
  readonly refusal?: Reply | undefined;
}

const UNDER_V1 = /^\/v1(\/|$)/;
const NO_IDENTITY: Identity = {};

/**
 * The HTTP API (docs/http-api.md). A request goes through `#arrive`,
 * `#identify`, `#count`, `#admit`, `#answer`, `#record` and `#send`. Each step
 * returns the value for the next one. A refusal travels in that value, until
 * `#admit` turns it into the reply.
 */
export class RequestChain {
  readonly #parts: RequestChainParts;
  readonly #authenticator: Authenticator;
  readonly #replies: DataReplies;
  readonly #findRead = createRouter();

  constructor(parts: RequestChainParts) {
    this.#parts = parts;
    this.#authenticator = new Authenticator(parts);
    this.#replies = new DataReplies(parts.audit !== undefined);
  }

  readonly handle: RequestListener = (req, res) => {
    const { faults, clock } = this.#parts;
    const arrived = this.#arrive(req, res);
    const delay = faults && simulateArrival(faults, res, clock);
    if (delay) void delay.then(() => this.#proceed(arrived));
    else this.#proceed(arrived);
  };

  #proceed(arrived: Arrived): void {
    let counted: Counted = { arrived, identity: NO_IDENTITY, headers: NO_STORE };
    let reply: Reply | Promise<Reply>;
    try {
      counted = this.#count(this.#identify(arrived));
      reply = this.#admit(counted) ?? this.#answer(counted);
    } catch (error) {
      reply = this.#explain(error, counted);
    }
    if (reply instanceof Promise)
      reply
        .catch((error) => this.#explain(error, counted))
        .then((later) => this.#send(counted, later));
    else this.#send(counted, reply);
  }

  #arrive(req: IncomingMessage, res: ServerResponse): Arrived {
    const { addressOf, audit, onRequest, ticks } = this.#parts;
    const url = toOriginForm(req);
    const query = url.indexOf("?");
    const path = query < 0 ? url : url.slice(0, query);
    const origin = audit || onRequest ? { at: ticks(), address: addressOf(req) } : undefined;
    return { req, res, url, path, malformation: findMalformation(req, url), origin };
  }

  /** Credentials are not checked where they make no difference. */
  #identify(arrived: Arrived): Identified {
    const { req, path, malformation } = arrived;
    const isAnonymous = malformation !== undefined || path === ROUTES.health;
    const identity = isAnonymous ? NO_IDENTITY : this.#authenticator.identify(req);
    const { grant } = identity;
    return { arrived, identity, view: grant && this.#parts.service.view(grant.scope) };
  }

  /**
   * Counts a request for its API key or address. Health checks have their own
   * counters.
   */
  #count({ arrived, identity, view }: Identified): Counted {
    const { service, limiter, addressOf } = this.#parts;
    const { grant } = identity;
    const kind = grant ? "key" : arrived.path === ROUTES.health ? "health" : "address";
    const id = grant ? grant.current.api_key : addressOf(arrived.req);
    const { rateLimit, retryAfter } = limiter.count({ kind, id });
    const wait = retryAfter ?? identity.retryAfter;
    const headers = NO_STORE.concat(
      rateLimitHeaders(rateLimit, wait),
      grant && view ? service.freshnessHeaders(grant.scope, view) : [],
    );
    const tooMany = retryAfter === undefined ? TOO_MANY_WITHOUT_KEY : TOO_MANY_REQUESTS;
    const refusal = wait === undefined ? undefined : tooMany;
    return { arrived, identity, view, counter: kind, headers, refusal };
  }

  /**
   * Returns the refusal, if there is one. Everything under /v1 needs valid
   * credentials.
   */
  #admit({ arrived: { path, malformation }, identity, refusal }: Counted): Reply | undefined {
    const { faults } = this.#parts;
    const early = refusal ?? (faults && simulateFailure(faults)) ?? malformation;
    if (early !== undefined) return early;
    return identity.grant === undefined && UNDER_V1.test(path) ? UNAUTHORIZED : undefined;
  }

  /** @throws NotFoundError, UsageError */
  #answer({ arrived, view }: Counted): Reply | Promise<Reply> {
    const { req, url, path } = arrived;
    const { method = "", headers } = req;
    const isRead = method === "GET" || method === "HEAD";
    const cached = isRead && view ? this.#replies.cached(view, url, headers) : undefined;
    if (cached) return cached;
    // Only now: polka's search takes a tenth of the time of a cached reply.
    const call = this.#findRead(method, path, url.slice(path.length));
    if (call === "health") return this.#healthReply();
    if (call === undefined || view === undefined)
      return isRead || routeOf(path) === undefined ? notFound() : METHOD_NOT_ALLOWED;
    const answer = () => this.#replies.answer(view, call, headers);
    return call.kind === "check" ? view.prepareCheck().then(answer) : answer();
  }

  #healthReply(): Reply {
    const { service, maxStale, audit } = this.#parts;
    const { healthy, age, health } = service.checkHealth(maxStale);
    const headers = age === undefined ? [] : [DATA_AGE_HEADER, String(age)];
    if (!audit?.isFailing) return jsonReply(healthy ? 200 : 503, JSON.stringify(health), headers);
    const message = "requests can't be recorded; reads are answered 503";
    return jsonReply(503, JSON.stringify({ ...health, message }), headers);
  }

  #explain(error: unknown, { view }: Counted): Reply {
    if (error instanceof UsageError) return errorReply(400, error.message);
    // "Not found" is a statement about one revision too.
    if (error instanceof NotFoundError) return notFound(view?.revision);
    // Any other message may hold a value, and stays in this process.
    this.#parts.onInternalError?.(error);
    return INTERNAL_ERROR;
  }

  #send(counted: Counted, reply: Reply): void {
    const { arrived, counter, headers } = counted;
    const { req, res, path, origin } = arrived;
    const described = origin && describe(counted, origin.address);
    const sent = described ? this.#record(counted, described, reply) : reply;
    if (req.socket.destroyed) return;
    const { status, body } = sent;
    sendReply(req, res, { status, headers: headers.concat(sent.headers), body });
    if (!described) return;
    const bytes = req.method === "HEAD" ? 0 : Buffer.byteLength(body);
    const milliseconds = this.#parts.ticks() - origin.at;
    this.#parts.onRequest?.({ ...described, path, counter, status, bytes, milliseconds });
  }

  /** Clients with valid credentials get no answer that can't be recorded. */
  #record(
    { arrived, identity: { grant } }: Counted,
    described: Described,
    reply: Reply & Partial<DataReply>,
  ): Reply {
    const { audit } = this.#parts;
    if (!audit || arrived.path === ROUTES.health) return reply;
    const { status, read } = reply;
    const environment = grant && qualifiedName(grant.environment);
    const isRecorded = audit.record({ ...described, status, environment, read });
    return isRecorded || grant === undefined || refusesTooMany(reply) ? reply : NOT_RECORDED;
  }
}

type Described = ReturnType<typeof describe>;

/** Returns the parts of a request that audit logs and request logs share. */
function describe({ arrived: { req, path }, identity: { grant } }: Identified, address: string) {
  const { method, headers } = req;
  // A key may have been rotated out. A signature without a key has the current
  // one.
  const apiKey = grant && String(headers["x-api-key"] ?? grant.current.api_key);
  const client = grant?.client;
  return { id: requestId(headers), method, route: routeOf(path), apiKey, client, address };
}
