import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { ROUTES } from "../../model/routes.js";
import type { Service } from "../../service/service.js";
import { jsonReply, type Reply } from "../wire/replies.js";
import { errorReply } from "./error-replies.js";

/**
 * Faults that a server simulates, to test clients. Requests that Node's HTTP parser refuses are not
 * affected.
 */
export interface Faults {
  /** Delay of each answer in milliseconds: random between these two, which may be equal. */
  latency?: { least: number; most: number };
  /**
   * Share of the requests that is answered 503, from 0 to 1. Requests over the rate limit are
   * answered 429.
   */
  failRate?: number;
  /** Seconds that the server's clock is ahead; negative if it is behind. */
  clockSkew?: number;
  /** From 0 up to 1. Default `Math.random`. */
  random?: () => number;
  /** Resolves after this many milliseconds. Default a timer. */
  sleep?: (milliseconds: number) => Promise<void>;
}

/** The clock of a server with these faults. */
export function skewClock(clock: () => number, { clockSkew }: Faults = {}): () => number {
  return clockSkew ? () => clock() + clockSkew * 1_000 : clock;
}

export interface FaultInjector {
  /** Called when a request arrives. Resolves once it may proceed; `undefined`: at once. */
  onArrival(res: ServerResponse): Promise<void> | undefined;
  /** The failure that answers a counted request. */
  failure(path: string): Reply | undefined;
}

const FAILED = "This failure is made on purpose, try again";

// The connection keeps the process alive; once it is closed, nobody waits for the answer.
const unrefDelay = (milliseconds: number) => delay<void>(milliseconds, undefined, { ref: false });

/** Returns `undefined` without any fault. @param clock the server's, already skewed */
export function createFaults(
  { latency, failRate = 0, clockSkew, random = Math.random, sleep = unrefDelay }: Faults,
  service: Service,
  clock: () => number,
): FaultInjector | undefined {
  if (!latency && !failRate && !clockSkew) return undefined;
  const wait = async ({ least, most }: { least: number; most: number }) =>
    sleep(least + random() * (most - least));
  return {
    onArrival(res) {
      // Node's own `Date` header has the true time.
      if (clockSkew) res.setHeader("Date", new Date(clock()).toUTCString());
      return latency && wait(latency);
    },
    failure(path) {
      if (failRate === 0 || random() >= failRate) return undefined;
      if (path !== ROUTES.health) return errorReply(503, FAILED);
      const health = { ...service.checkHealth().health, message: FAILED };
      return jsonReply(503, JSON.stringify(health));
    },
  };
}
