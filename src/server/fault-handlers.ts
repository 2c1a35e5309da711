import { setTimeout as delay } from "node:timers/promises";
import { ROUTES } from "../model/routes.js";
import type { Service } from "../service/service.js";
import { errorReply } from "./error-replies.js";
import type { Faults } from "./faults.js";
import type { Step } from "./middleware.js";
import { jsonReply } from "./replies.js";

/** Steps that simulate the faults; empty without any. */
export interface FaultHandlers {
  /** Come first. */
  onArrival: Step[];
  /** Come after the request was counted: the answer already has the rate limit headers. */
  onceCounted: Step[];
}

const FAILED = "This failure is made on purpose, try again";

// The connection keeps the process alive; once it is closed, nobody waits for the answer.
const unrefDelay = (milliseconds: number) => delay<void>(milliseconds, undefined, { ref: false });

/** @param clock the server's, already skewed */
export function createFaults(faults: Faults, service: Service, clock: () => number): FaultHandlers {
  const { latency, failRate = 0, clockSkew, random = Math.random, sleep = unrefDelay } = faults;
  const onArrival: Step[] = [];
  if (latency) {
    onArrival.push(async () => {
      await sleep(latency.least + random() * (latency.most - latency.least));
      return undefined;
    });
  }
  if (clockSkew) {
    onArrival.push((_req, res) => {
      // Node's own `Date` header has the true time.
      res.setHeader("Date", new Date(clock()).toUTCString());
      return undefined;
    });
  }
  const fail: Step = ({ path }) => {
    if (random() >= failRate) return undefined;
    if (path !== ROUTES.health) return errorReply(503, FAILED);
    const health = { ...service.checkHealth().health, message: FAILED };
    return jsonReply(503, JSON.stringify(health));
  };
  return { onArrival, onceCounted: failRate ? [fail] : [] };
}
