import type { ErrorHandler } from "polka";
import { NotFoundError, UsageError } from "../domain/errors.js";
import { MESSAGES, sendError } from "./replies.js";
import type { AppRequest } from "./request.js";

/**
 * Replies to what a route throws. Only messages made for callers reach them; polka's own handler would send
 * the message of any error.
 */
export function createErrorHandler(onInternalError: (error: unknown) => void): ErrorHandler<AppRequest> {
  return (error: unknown, _req, res) => {
    if (error instanceof UsageError) return sendError(res, 400, error.message);
    if (error instanceof NotFoundError) return sendError(res, 404, MESSAGES.notFound);
    onInternalError(error);
    if (res.headersSent) res.destroy();
    else sendError(res, 500, MESSAGES.internal);
  };
}
