import { decodeErrorMessage } from "../../client/decode.js";
import { interpretHealth } from "../../client/interpret.js";
import { type HttpResponse, Transport, type TransportOptions } from "../../client/transport.js";
import { AppvarsError } from "../../domain/errors.js";
import type { Health } from "../../domain/source.js";
import type { Io } from "../output/io.js";

export interface ProbeAnswer {
  response: HttpResponse;
  /** Unix milliseconds. */
  receivedAt: number;
  /** How long it took. */
  milliseconds: number;
}

export type Outcome = ProbeAnswer | { error: AppvarsError };

/** Sends one request, without retries; never rejects. */
export type Probe = (target: string, headers?: Record<string, string>) => Promise<Outcome>;

export type Clocks = Pick<Io, "clock" | "ticks">;

/** Lets `use` send requests to one server, and closes the connections. */
export async function withProbe<T>(
  options: TransportOptions,
  { clock, ticks }: Clocks,
  use: (probe: Probe) => Promise<T>,
): Promise<T> {
  const transport = new Transport(options);
  try {
    return await use(async (target, headers = {}) => {
      const sentAt = ticks();
      try {
        const response = await transport.get(target, { ...headers, accept: "application/json" });
        return { response, receivedAt: clock(), milliseconds: ticks() - sentAt };
      } catch (error) {
        if (error instanceof AppvarsError) return { error };
        throw error;
      }
    });
  } finally {
    await transport.close();
  }
}

export function statusOf(outcome: Outcome): number | undefined {
  return "response" in outcome ? outcome.response.status : undefined;
}

/** The health in an answer, good or bad; undefined if there is none. */
export function healthIn(outcome: Outcome): Health | undefined {
  return decoded(outcome, (response) => interpretHealth(response).health);
}

/** Whether the answer is like one of appvars, so that credentials may be sent. */
export function isAppvars(outcome: Outcome): boolean {
  if (statusOf(outcome) !== 429) return healthIn(outcome) !== undefined;
  return decoded(outcome, ({ body }) => decodeErrorMessage(JSON.parse(body))) !== undefined;
}

/** How far this machine's clock is ahead of the server's, in milliseconds; undefined if not known. */
export function skewOf(outcome: Outcome): number | undefined {
  if ("error" in outcome) return undefined;
  const { response, receivedAt, milliseconds } = outcome;
  const server = Date.parse(healthIn(outcome)?.date ?? response.headers.date ?? "");
  // On average, the server reads its clock halfway through the request.
  return Number.isNaN(server) ? undefined : receivedAt - milliseconds / 2 - server;
}

function decoded<T>(outcome: Outcome, decode: (response: HttpResponse) => T): T | undefined {
  if ("error" in outcome) return undefined;
  try {
    return decode(outcome.response);
  } catch {
    return undefined;
  }
}
