import type { RequestListener, ServerResponse } from "node:http";
import polka from "polka";
import { NotFoundError, UsageError } from "../kit/text/errors.js";
import { qualifiedName } from "../model/environment.js";
import { DATA_AGE_HEADER, REVISION_HEADER } from "../model/http-headers.js";
import { limitError, offsetError, type PageRequest, pageBounds } from "../model/page.js";
import type { Read } from "../model/read.js";
import { ROUTES } from "../model/routes.js";
import { checkId } from "../model/variable.js";
import type { Service } from "../service/service.js";
import type { Audit } from "./audit.js";
import type { Authenticate } from "./authentication.js";
import type { AddressOf } from "./client-address.js";
import { DataReplies } from "./data-replies.js";
import { errorReply, MESSAGES, METHOD_NOT_ALLOWED } from "./error-replies.js";
import type { FaultHandlers } from "./fault-handlers.js";
import { originForm, patternOf, routeOf } from "./match-route.js";
import { type AppRequest, admit, firstReply, identifyAndCount, type Step } from "./middleware.js";
import type { RateLimiter } from "./rate-limiter.js";
import { jsonReply, NOT_STORED, type Reply, sendReply } from "./replies.js";
import { describeRequest, reportAnswers } from "./request-report.js";
import type { ServedRequest } from "./served-request.js";

export interface AppDependencies {
  service: Service;
  authenticate: Authenticate;
  limiter: RateLimiter;
  addressOf: AddressOf;
  faults: FaultHandlers;
  /** See `checkHealth` of the service. */
  maxStale: number;
  audit?: Audit | undefined;
  /** Called for every request that is answered. */
  onRequest?: ((request: ServedRequest) => void) | undefined;
  /** Monotonic clock in milliseconds. */
  ticks: () => number;
  /** Called with every error that the caller only sees as "Internal server error". */
  onInternalError: (error: unknown) => void;
}

/** The HTTP API (docs/http-api.md) as a request listener. */
export function createApp(dependencies: AppDependencies): RequestListener {
  const {
    service,
    authenticate,
    limiter,
    addressOf,
    faults,
    maxStale,
    audit,
    onRequest,
    ticks,
    onInternalError,
  } = dependencies;
  const onError = (error: unknown, req: AppRequest, res: ServerResponse) => {
    if (error instanceof UsageError) return sendReply(req, res, errorReply(400, error.message));
    // "Not found" is a statement about one revision too.
    if (error instanceof NotFoundError) return sendReply(req, res, notFound(req.view.revision));
    // Any other message may hold a value, and stays in this process.
    onInternalError(error);
    if (res.headersSent) res.destroy();
    else sendReply(req, res, errorReply(500, MESSAGES.internal));
  };
  const router = polka<AppRequest>({
    onError,
    // Not a handler for all methods, which polka would look for with every request.
    onNoMatch: (req, res) => {
      const isGet = req.method === "GET" || req.method === "HEAD";
      sendReply(
        req,
        res,
        isGet || routeOf(req.path) === undefined ? notFound() : METHOD_NOT_ALLOWED,
      );
    },
  });
  router.get(patternOf(ROUTES.health), (req, res) => {
    const { healthy, age, health } = service.checkHealth(maxStale);
    const headers = age === undefined ? [] : [DATA_AGE_HEADER, String(age)];
    const isRecording = !audit?.isFailing;
    const body = isRecording
      ? health
      : { ...health, message: "requests can't be recorded; reads are answered 503" };
    sendReply(
      req,
      res,
      jsonReply(healthy && isRecording ? 200 : 503, JSON.stringify(body), headers),
    );
  });
  const replies = new DataReplies(audit !== undefined);
  const { health: _, ...reads } = ROUTES;
  for (const kind of Object.keys(reads) as Read["kind"][]) {
    const answer = (req: AppRequest, res: ServerResponse) =>
      sendReply(req, res, replies.answer(req, parseRead(kind, req)));
    const answerLater = (req: AppRequest, res: ServerResponse) =>
      req.view.prepareCheck().then(() => answer(req, res));
    router.get(patternOf(ROUTES[kind]), kind === "check" ? answerLater : answer);
  }
  const steps: readonly Step[] = [
    ...(onRequest ? [reportAnswers(onRequest, addressOf, ticks)] : []),
    ...(audit ? [auditAnswers(audit, addressOf)] : []),
    ...faults.onArrival,
    identifyAndCount(service, authenticate, limiter, addressOf),
    ...faults.onceCounted,
    admit,
    replies.kept,
    // Its handlers send the replies. It adds the third parameter, `next`, itself.
    router.handler as unknown as Step,
  ];

  return (incoming, res) => {
    const req = incoming as AppRequest;
    req.target = req.url;
    req.url = originForm(req);
    const query = req.url.indexOf("?");
    req.path = query < 0 ? req.url : req.url.slice(0, query);
    req.replyHeaders = NOT_STORED;
    try {
      const reply = firstReply(steps, req, res);
      if (reply instanceof Promise)
        reply
          .then((later) => later && sendReply(req, res, later))
          .catch((error) => onError(error, req, res));
      else if (reply) sendReply(req, res, reply);
    } catch (error) {
      onError(error, req, res);
    }
  };
}

const NOT_RECORDED = errorReply(503, MESSAGES.notRecorded, ["Retry-After", "1"]);

/**
 * Records each answer before it is sent. Callers with valid credentials learn nothing that can't be
 * recorded.
 */
function auditAnswers(audit: Audit, addressOf: AddressOf): Step {
  return (req) => {
    const address = addressOf(req);
    req.audit = (reply) => {
      if (req.path === ROUTES.health) return reply;
      const owner = req.identity?.owner;
      const environment = owner && qualifiedName(owner.environment);
      const isRecorded = audit.record({
        ...describeRequest(req, address, reply),
        environment,
        read: reply.read,
      });
      return isRecorded || owner === undefined || reply.status === 429 ? reply : NOT_RECORDED;
    };
    return undefined;
  };
}

function notFound(revision?: string): Reply {
  return errorReply(
    404,
    MESSAGES.notFound,
    revision === undefined ? [] : [REVISION_HEADER, revision],
  );
}

/** @throws UsageError for a page or an id out of bounds */
function parseRead(kind: Read["kind"], { params, search }: AppRequest): Read {
  switch (kind) {
    case "variables":
    case "values":
      return { kind, page: parsePage(search) };
    case "variable":
    case "value":
      return { kind, id: parseId(params["id"]) };
    case "valueByName":
    case "content":
      return { kind, name: params["name"] ?? "" };
    case "valuesByName":
      return { kind, names: parseNames(search) };
    case "check":
      return { kind };
  }
}

/**
 * `names` of a query: none if it is empty, and if it is repeated those of all. Undefined without
 * it.
 */
function parseNames(search: string): string[] | undefined {
  const lists = new URLSearchParams(search).getAll("names");
  return lists.length > 0 ? lists.join().split(",") : undefined;
}

/** @throws UsageError for anything but plain digits */
function parseId(text = ""): number {
  return checkId(/^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN);
}

/**
 * `limit` and `offset` of a query. Other parameters are ignored.
 *
 * @throws UsageError that names the parameter if it is out of bounds, repeated or not a decimal
 *   number
 */
function parsePage(search: string): Required<PageRequest> {
  // Not polka's `query`, which leaves out all after the first 1,000 parameters.
  const query = new URLSearchParams(search);
  return pageBounds({
    ...(query.has("limit") && { limit: parseWhole(query.getAll("limit"), limitError) }),
    ...(query.has("offset") && { offset: parseWhole(query.getAll("offset"), offsetError) }),
  });
}

function parseWhole([text = "", ...others]: string[], error: () => Error): number {
  if (others.length > 0 || !/^\d+$/.test(text)) throw error();
  // Anything larger than any list means the same for both parameters.
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}
