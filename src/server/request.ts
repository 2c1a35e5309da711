import type { Middleware, Request } from "polka";
import type { EnvironmentRecord } from "../domain/environment.js";
import type { VariableSource } from "../domain/source.js";

/** A request on its way through the middleware. */
export interface AppRequest extends Request {
  /** Whom it has proved to come from; set by `identify`. */
  environment: EnvironmentRecord | undefined;
  /** That environment's variables; set by `requireCredentials`, so on every data route. */
  source: VariableSource;
}

export type Handler = Middleware<AppRequest>;

/** The request target exactly as sent. polka rewrites `req.url`, which drops a fragment. */
export function rawTarget(req: AppRequest): string {
  return req._parsedUrl.raw;
}
