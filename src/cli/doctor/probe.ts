import { decodeErrorMessage } from "../../client/decode.js";
import { interpretHealth } from "../../client/interpret.js";
import type { TimedResponse, Transport } from "../../client/transport.js";
import { AppvarsError } from "../../domain/errors.js";
import type { Health } from "../../domain/source.js";

/** The answer to one request, or its failure. */
export type Outcome = Answered | { error: AppvarsError; status?: undefined };

export interface Answered extends TimedResponse {
  error?: undefined;
  /** Unix milliseconds. */
  receivedAt: number;
}

/** Sends one request, without retries; never rejects. */
export type Probe = (target: string, headers?: Record<string, string>) => Promise<Outcome>;

export function createProbe(transport: Transport, clock: () => number): Probe {
  return async (target, headers = {}) => {
    try {
      return { ...(await transport.get(target, headers)), receivedAt: clock() };
    } catch (error) {
      if (error instanceof AppvarsError) return { error };
      throw error;
    }
  };
}

/** The health in an answer, good or bad; undefined if there is none. */
export function healthIn(outcome: Outcome): Health | undefined {
  return decoded(outcome, (answer) => interpretHealth(answer).health);
}

/** Whether the answer is like one of appvars, so that credentials may be sent. */
export function isAppvars(outcome: Outcome): boolean {
  if (outcome.status !== 429) return healthIn(outcome) !== undefined;
  return decoded(outcome, ({ body }) => decodeErrorMessage(JSON.parse(body))) !== undefined;
}

/** How far this machine's clock is ahead of the server's, in milliseconds; undefined if not known. */
export function skewOf(outcome: Outcome): number | undefined {
  if (outcome.error) return undefined;
  const server = Date.parse(healthIn(outcome)?.date ?? outcome.headers.date ?? "");
  // On average, the server reads its clock halfway through the request.
  return Number.isNaN(server) ? undefined : outcome.receivedAt - outcome.milliseconds / 2 - server;
}

function decoded<T>(outcome: Outcome, decode: (answer: Answered) => T): T | undefined {
  if (outcome.error) return undefined;
  try {
    return decode(outcome);
  } catch {
    return undefined;
  }
}
