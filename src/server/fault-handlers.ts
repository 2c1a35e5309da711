import { setTimeout as delay } from "node:timers/promises";
import { ROUTES } from "../domain/routes.js";
import type { Service } from "../service/service.js";
import { errorReply } from "./error-replies.js";
import type { Faults } from "./faults.js";
import type { Handler } from "./middleware.js";
import { jsonReply, sendReply } from "./replies.js";

/** Middleware that simulates the faults; empty without any. */
export interface FaultHandlers {
  /** Runs first. */
  onArrival: Handler[];
  /** Runs after the request was counted: the answer already has the rate limit headers. */
  onceCounted: Handler[];
}

const FAILED = "This failure is made on purpose, try again";

// The connection keeps the process alive; once it is closed, nobody waits for the answer.
const unrefDelay = (milliseconds: number) => delay<void>(milliseconds, undefined, { ref: false });

/** @param clock the server's, already skewed */
export function createFaults(faults: Faults, service: Service, clock: () => number): FaultHandlers {
  const { latency, failRate = 0, clockSkew, random = Math.random, sleep = unrefDelay } = faults;
  const onArrival: Handler[] = [];
  if (latency) {
    onArrival.push(async (_req, _res, next) => {
      await sleep(latency.least + random() * (latency.most - latency.least));
      return next();
    });
  }
  if (clockSkew) {
    onArrival.push((_req, res, next) => {
      // Node's own `Date` header has the true time.
      res.setHeader("Date", new Date(clock()).toUTCString());
      return next();
    });
  }
  const fail: Handler = (req, res, next) => {
    if (random() >= failRate) return next();
    if (req.path !== ROUTES.health) return sendReply(req, res, errorReply(503, FAILED));
    const health = { ...service.checkHealth().health, message: FAILED };
    return sendReply(req, res, jsonReply(503, JSON.stringify(health)));
  };
  return { onArrival, onceCounted: failRate ? [fail] : [] };
}
