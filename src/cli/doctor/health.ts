import { decodeErrorMessage, decodeHealth } from "../../client/decode.js";
import type { Health } from "../../domain/source.js";
import type { Outcome } from "./probe.js";

/** The health that an answer tells of, good or bad; undefined when it is none. */
export function healthOf(outcome: Outcome): Health | undefined {
  return decoded(outcome, [200, 503], decodeHealth);
}

/** Whether what answered behaves like appvars, so that credentials may be sent to it. */
export function isAppvars(outcome: Outcome): boolean {
  return healthOf(outcome) !== undefined || decoded(outcome, [429], decodeErrorMessage) !== undefined;
}

/** How far this machine's clock is ahead of the server's, in milliseconds; undefined where that can't be told. */
export function skewOf(outcome: Outcome): number | undefined {
  if ("error" in outcome) return undefined;
  const { response, sentAt, receivedAt } = outcome;
  const server = Date.parse(healthOf(outcome)?.date ?? response.headers.date ?? "");
  // The server looked at its clock somewhere between the two.
  return Number.isNaN(server) ? undefined : (sentAt + receivedAt) / 2 - server;
}

function decoded<T>(outcome: Outcome, statuses: readonly number[], decode: (json: unknown) => T): T | undefined {
  if ("error" in outcome || !statuses.includes(outcome.response.status)) return undefined;
  try {
    return decode(JSON.parse(outcome.response.body));
  } catch {
    return undefined;
  }
}
