import type { Server } from "node:http";
import polka, { type Polka } from "polka";
import { ROUTES } from "../domain/routes.js";
import type { Service } from "../service/service.js";
import type { Authenticate } from "./authentication.js";
import { createErrorHandler } from "./errors.js";
import type { FaultHandlers } from "./faults.js";
import { checkTarget, identify, limitRate, methodNotAllowed, requireCredentials } from "./middleware.js";
import { parseId, parsePage } from "./parameters.js";
import type { RateLimiter } from "./rate-limiter.js";
import { MESSAGES, sendData, sendError, sendJson } from "./replies.js";
import type { AppRequest, Handler } from "./request.js";

export interface AppDependencies {
  service: Service;
  authenticate: Authenticate;
  limiter: RateLimiter;
  faults: FaultHandlers;
  /** Told of every error that the caller only sees as "Internal server error". */
  onInternalError: (error: unknown) => void;
  /** The listener that polka is to answer for. */
  server: Server;
}

/** The HTTP contract on polka, not yet listening. */
export function createApp({
  service,
  authenticate,
  limiter,
  faults,
  onInternalError,
  server,
}: AppDependencies): Polka<AppRequest> {
  const app = polka<AppRequest>({
    server,
    onError: createErrorHandler(onInternalError),
    onNoMatch: (_req, res) => sendError(res, 404, MESSAGES.notFound),
  });

  // A pattern, since polka's `use` passes over targets that don't begin with a slash.
  app.all(/^/, ...faults.onArrival, identify(authenticate), limitRate(limiter), ...faults.onceCounted, checkTarget);
  route(ROUTES.health, (_req, res) => {
    const { healthy, health } = service.checkHealth();
    sendJson(res, healthy ? 200 : 503, health);
  });
  app.all(/^\/v1(\/|$)/, requireCredentials(service));
  dataRoute(ROUTES.variables, ({ source, query }) => source.listVariables(parsePage(query)));
  dataRoute(ROUTES.variable, ({ source, params }) => source.getVariable(parseId(params["id"] ?? "")));
  dataRoute(ROUTES.values, ({ source, query }) => source.listValues(parsePage(query)));
  dataRoute(ROUTES.value, ({ source, params }) => source.getValue(parseId(params["id"] ?? "")));
  dataRoute(ROUTES.valueByName, ({ source, params }) => source.getValueByName(params["name"] ?? ""));
  dataRoute(ROUTES.contentByName, ({ source, params }) => source.getContentByName(params["name"] ?? ""));
  return app;

  function dataRoute(path: string, answer: (req: AppRequest) => Promise<object>): void {
    route(path, async (req, res) => sendData(req, res, await answer(req)));
  }

  function route(path: string, handler: Handler): void {
    app.get(exactly(path), handler);
    app.all(exactly(path), methodNotAllowed);
  }
}

/** `/v1/variables/:id` as a pattern that, unlike polka's own, heeds case and takes no trailing slash. */
function exactly(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
}
