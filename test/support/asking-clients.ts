import { once } from "node:events";
import http, { type Agent } from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";

/**
 * How a request ended. A client can send it again unless the answer was `cut off`: after an `idle
 * reset`, of a connection that was open before; or if a new connection was `not accepted`, because
 * the system was just closing the socket.
 */
export type Outcome = "answered" | "refused" | "idle reset" | "not accepted" | "cut off";

export interface ClientOptions {
  port: number;
  path: string;
  headers: Record<string, string>;
  /** Whether all its requests are sent on one connection. Default true. */
  keepAlive?: boolean;
  /** Whether to connect by TLS, to a server with any certificate. */
  tls?: boolean;
  /** The longest rest before each request, in milliseconds. Default none. */
  pauseMs?: number;
}

/**
 * A client that sends one request after another, until `isOver` says so of how the last one ended.
 */
export async function keepAsking(
  { pauseMs = 0, ...options }: ClientOptions,
  isOver: (outcome: Outcome) => boolean,
): Promise<Outcome[]> {
  const { keepAlive = true, tls = false } = options;
  const agent = new (tls ? https : http).Agent({
    keepAlive,
    maxSockets: 1,
    rejectUnauthorized: false,
  });
  onTestFinished(() => agent.destroy());
  const outcomes: Outcome[] = [];
  for (
    let outcome: Outcome | undefined;
    outcome === undefined || !isOver(outcome);
    outcomes.push(outcome)
  ) {
    if (pauseMs > 0) await delay(Math.random() * pauseMs);
    outcome = await ask(options, agent);
  }
  return outcomes;
}

async function ask({ port, path, headers, tls }: ClientOptions, agent: Agent): Promise<Outcome> {
  const outgoing = (tls ? https : http).request({ host: "127.0.0.1", port, path, headers, agent });
  outgoing.end();
  let hasBegun = false;
  try {
    const [incoming] = await once(outgoing, "response");
    hasBegun = true;
    await text(incoming);
    return incoming.statusCode === 200 ? "answered" : "cut off";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") return "refused";
    if (hasBegun) return "cut off";
    return outgoing.reusedSocket ? "idle reset" : "not accepted";
  }
}
