import type { RequestListener } from "node:http";
import polka from "polka";
import { NotFoundError, UsageError } from "../domain/errors.js";
import { REVISION_HEADER } from "../domain/http-headers.js";
import { limitError, offsetError, type PageRequest, pageBounds } from "../domain/page.js";
import { ROUTES } from "../domain/routes.js";
import type { Service } from "../service/service.js";
import type { Authenticate } from "./authentication.js";
import type { FaultHandlers } from "./faults.js";
import {
  type AppRequest,
  type Handler,
  identify,
  limitRate,
  methodNotAllowed,
  refuseMalformed,
  requireCredentials,
} from "./middleware.js";
import type { RateLimiter } from "./rate-limiter.js";
import { MESSAGES, sendData, sendError, sendJson } from "./replies.js";

export interface AppDependencies {
  service: Service;
  authenticate: Authenticate;
  limiter: RateLimiter;
  faults: FaultHandlers;
  /** Called with every error that the caller only sees as "Internal server error". */
  onInternalError: (error: unknown) => void;
}

/** The HTTP API (docs/http-api.md) as a request listener. */
export function createApp(dependencies: AppDependencies): RequestListener {
  const { service, authenticate, limiter, faults, onInternalError } = dependencies;
  const app = polka<AppRequest>({
    onError: (error: unknown, _req, res) => {
      if (error instanceof UsageError) return sendError(res, 400, error.message);
      if (error instanceof NotFoundError) return sendError(res, 404, MESSAGES.notFound);
      // Any other message may hold a value, and stays in this process.
      onInternalError(error);
      if (res.headersSent) res.destroy();
      else sendError(res, 500, MESSAGES.internal);
    },
    onNoMatch: (_req, res) => sendError(res, 404, MESSAGES.notFound),
  });

  // A pattern, since polka's `use` skips targets that don't begin with a slash.
  app.all(/^/, ...faults.onArrival, identify(authenticate), limitRate(limiter), ...faults.onceCounted, refuseMalformed);
  route(ROUTES.health, (_req, res) => {
    const { healthy, health } = service.checkHealth();
    sendJson(res, healthy ? 200 : 503, health);
  });
  app.all(/^\/v1(\/|$)/, requireCredentials(service));
  dataRoute(ROUTES.variables, ({ view, query }) => view.listVariables(parsePage(query)));
  dataRoute(ROUTES.variable, ({ view, params }) => view.getVariable(parseId(params["id"])));
  dataRoute(ROUTES.values, ({ view, query }) => view.listValues(parsePage(query)));
  dataRoute(ROUTES.value, ({ view, params }) => view.getValue(parseId(params["id"])));
  dataRoute(ROUTES.valueByName, ({ view, params }) => view.getValueByName(params["name"] ?? ""));
  dataRoute(ROUTES.contentByName, ({ view, params }) => view.getContentByName(params["name"] ?? ""));
  // polka adds the third parameter, `next`, itself.
  return app.handler as RequestListener;

  function dataRoute(path: string, answer: (req: AppRequest) => Promise<object>): void {
    route(path, async (req, res) => {
      const setRevision = () => res.setHeader(REVISION_HEADER, req.view.revision);
      try {
        const body = await answer(req);
        setRevision();
        sendData(req, res, body);
      } catch (error) {
        // "Not found" is a statement about one revision too.
        if (error instanceof NotFoundError) setRevision();
        throw error;
      }
    });
  }

  function route(path: string, handler: Handler): void {
    app.get(exactly(path), handler);
    app.all(exactly(path), methodNotAllowed);
  }
}

/** `/v1/variables/:id` as a pattern that, unlike polka's own, is case-sensitive and allows no trailing slash. */
function exactly(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
}

/** An id in a path; NaN, which is not the id of anything, for anything but plain digits. */
function parseId(text = ""): number {
  return /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN;
}

/**
 * `limit` and `offset` of a query. Other parameters are ignored.
 *
 * @throws UsageError that names the parameter if it is out of bounds, repeated or not a decimal number
 */
function parsePage({ limit, offset }: AppRequest["query"]): Required<PageRequest> {
  return pageBounds({
    ...(limit !== undefined && { limit: parseWhole(limit, limitError) }),
    ...(offset !== undefined && { offset: parseWhole(offset, offsetError) }),
  });
}

function parseWhole(value: string | string[], error: () => Error): number {
  if (typeof value !== "string" || !/^\d+$/.test(value)) throw error();
  // Anything larger than any list means the same for both parameters.
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
}
