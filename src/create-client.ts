import { AnswerCache } from "./client/answer-cache.js";
import { AUTH_SCHEMES, type AuthScheme } from "./client/auth-headers.js";
import { Client, type ClientDependencies } from "./client/client.js";
import { checkCredential, checkSeconds } from "./client/options.js";
import { parseOrigin } from "./client/origin.js";
import { createWaitBudget, type RetryNotice, type RetryOn } from "./client/retry.js";
import { Transport } from "./client/transport.js";
import { UsageError } from "./domain/errors.js";
import type { VariableSource } from "./domain/source.js";

export interface ClientOptions {
  /** Names the environment. A signature may go without: the server then tries its environments' secrets. */
  apiKey?: string | undefined;
  /** Without it every call but `getHealth` rejects with UnauthorizedError. */
  apiSecret?: string | undefined;
  /** Scheme, host and port of the server, `http://127.0.0.1:7400`. */
  url: string | URL;
  /** Default `hmac`. */
  auth?: AuthScheme;
  /** Seconds for one request. Default 10. */
  timeout?: number;
  /** Most seconds to wait in all on 429 and on retries. Default 60; 0 tries once. */
  maxWait?: number;
  /** Whether `maxWait` counts for each call anew, or for all calls of this client together. Default `call`. */
  maxWaitScope?: "call" | "client";
  /** Whether to try again after any failure that may pass, or after a 429 alone. Default `any`. */
  retryOn?: RetryOn | undefined;
  /** PEM certificates to trust instead of the system's. */
  ca?: string | undefined;
  /** Whether to keep answers and ask only whether they have changed, for who reads the same again and again. */
  revalidate?: boolean;
  /** Told of each pause before another try. */
  onRetry?: (notice: RetryNotice) => void;
  /** Told of each answer. */
  onResponse?: ClientDependencies["onResponse"];
}

/**
 * The variables of the environment that the credentials belong to, from a server. Opens no connection
 * before the first call.
 *
 * @throws UsageError for a URL that is not just the origin of an HTTP server, a credential that can't be sent,
 *   an unknown scheme, or a time out of its bounds
 */
export function createClient(options: ClientOptions): VariableSource {
  const { auth = "hmac", timeout = 10, maxWait = 60, maxWaitScope = "call", ca } = options;
  const { apiKey, apiSecret, onRetry = () => {}, onResponse = () => {} } = options;
  if (!AUTH_SCHEMES.includes(auth)) throw new UsageError(`auth must be one of ${AUTH_SCHEMES.join(", ")}`);
  checkCredential("API key", apiKey);
  checkCredential("API secret", apiSecret);
  checkSeconds("timeout", timeout, 0.001);
  checkSeconds("maxWait", maxWait, 0);
  const shared = createWaitBudget(maxWait);
  const closed = new AbortController();
  return new Client({
    transport: new Transport({ origin: parseOrigin(options.url), timeout, ca }),
    credentials: { apiKey, apiSecret },
    auth,
    clock: Date.now,
    random: Math.random,
    sleep: async (seconds) => {
      // Loaded at need: few clients ever wait.
      const { setTimeout: delay } = await import("node:timers/promises");
      await delay(seconds * 1_000, undefined, { signal: closed.signal }).catch(() => {});
    },
    onClose: () => closed.abort(),
    nextBudget: () => (maxWaitScope === "client" ? shared : createWaitBudget(maxWait)),
    answers: options.revalidate ? new AnswerCache() : undefined,
    retryOn: options.retryOn,
    onRetry,
    onResponse,
  });
}
