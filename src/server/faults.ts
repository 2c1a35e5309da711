import { setTimeout as delay } from "node:timers/promises";
import { ROUTES } from "../domain/routes.js";
import type { Service } from "../service/service.js";
import { sendError, sendJson } from "./replies.js";
import type { Handler } from "./request.js";

/** Faults that a server makes on purpose, to test clients with. What Node's HTTP parser refuses is spared. */
export interface Faults {
  /** Milliseconds that each answer is held back: a random time between these two, which may be the same. */
  latency?: { least: number; most: number };
  /** The share of the requests that is answered 503, from 0 to 1. Those over the rate limit get their 429. */
  failRate?: number;
  /** Seconds that the server's clock is ahead of the true time; negative when it is behind. */
  clockSkew?: number;
  /** From 0 up to 1. Default `Math.random`. */
  random?: () => number;
  /** Resolves after so many milliseconds. Default a timer. */
  sleep?: (milliseconds: number) => Promise<void>;
}

/** Middleware that makes the faults; none where none are asked for. */
export interface FaultHandlers {
  /** For a request that has just come in. */
  onArrival: Handler[];
  /** For one that was counted: its answer carries the rate limit already. */
  onceCounted: Handler[];
}

const FAILED = "This failure is made on purpose, try again";

/** @param clock what the server goes by, skewed already */
export function createFaults(faults: Faults, service: Service, clock: () => number): FaultHandlers {
  const { latency, failRate, clockSkew, random = Math.random, sleep = rest } = faults;
  const onArrival: Handler[] = [];
  if (latency) onArrival.push(holdBack(() => sleep(latency.least + random() * (latency.most - latency.least))));
  if (clockSkew) onArrival.push(tellTime(clock));
  return { onArrival, onceCounted: failRate ? [fail(() => random() < failRate, service)] : [] };
}

/** The clock of a server with these faults. */
export function skewClock(clock: () => number, { clockSkew }: Faults = {}): () => number {
  return clockSkew ? () => clock() + clockSkew * 1_000 : clock;
}

function holdBack(sleep: () => Promise<void>): Handler {
  return async (_req, _res, next) => {
    await sleep();
    return next();
  };
}

/** Node's own `Date` header is always right. */
function tellTime(clock: () => number): Handler {
  return (_req, res, next) => {
    res.setHeader("Date", new Date(clock()).toUTCString());
    return next();
  };
}

function fail(isDue: () => boolean, service: Service): Handler {
  return (req, res, next) => {
    if (!isDue()) return next();
    // The health endpoint has the same fields when it is not well.
    if (req.path === ROUTES.health) return sendJson(res, 503, { ...service.checkHealth().health, message: FAILED });
    return sendError(res, 503, FAILED);
  };
}

async function rest(milliseconds: number): Promise<void> {
  // The connection keeps the process alive; once it is gone nobody waits for the answer.
  await delay(milliseconds, undefined, { ref: false });
}
