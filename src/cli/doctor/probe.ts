import { type HttpResponse, Transport, type TransportOptions } from "../../client/transport.js";
import { AppvarsError } from "../../domain/errors.js";

/** An answer, and when it was asked for and came, in Unix milliseconds. */
export interface Answer {
  response: HttpResponse;
  sentAt: number;
  receivedAt: number;
}

/** What came of one request. */
export type Outcome = Answer | { error: AppvarsError };

/** Sends one request, once, and never rejects. */
export type Probe = (target: string, headers?: Record<string, string>) => Promise<Outcome>;

/** Lets `use` send requests to one server, over a transport that is closed after. */
export async function withProbe<T>(
  options: TransportOptions,
  clock: () => number,
  use: (probe: Probe) => Promise<T>,
): Promise<T> {
  const transport = new Transport(options);
  try {
    return await use(async (target, headers = {}) => {
      const sentAt = clock();
      try {
        const response = await transport.get(target, { ...headers, accept: "application/json" });
        return { response, sentAt, receivedAt: clock() };
      } catch (error) {
        if (error instanceof AppvarsError) return { error };
        throw error;
      }
    });
  } finally {
    await transport.close();
  }
}

/** The system's code for why there was no answer, `ECONNREFUSED`. */
export function failureCode(outcome: Outcome): string | undefined {
  return "error" in outcome ? (outcome.error.cause as NodeJS.ErrnoException | undefined)?.code : undefined;
}
