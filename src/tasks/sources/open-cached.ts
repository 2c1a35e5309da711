import { CachedSource, type FreshSource } from "../../client/cached-source.js";
import type { RetryOn } from "../../client/retry.js";
import { SealedCache } from "../../kit/files/sealed-cache.js";
import { formatDuration } from "../../kit/text/duration.js";
import { UnreachableError } from "../../kit/text/errors.js";
import { MAX_CACHE_AGE_S } from "../../model/defaults.js";
import type { VariableSource } from "../../model/reads/read.js";
import type { ServerSettings } from "../settings/server-settings.js";
import type { Caller } from "../surroundings.js";

/**
 * Seconds for a request if there are cached answers: a slower server counts as
 * down.
 */
const SINGLE_TRY_TIMEOUT_S = 5;

type OpenClient = (timeout: number, retryOn: RetryOn) => Promise<FreshSource>;

/**
 * Opens the client of a server behind a cache in the user's cache folder.
 *
 * @param maxAge in seconds
 * @param openClient gets the seconds for one request. Default: only the cache
 *   is used
 */
export async function openCached(
  { url, apiKey, timeout }: ServerSettings,
  apiSecret: string,
  { surroundings, note, warn }: Caller,
  maxAge: number,
  openClient?: OpenClient,
): Promise<VariableSource> {
  const file = new SealedCache({
    parent: surroundings.folders.cache,
    kind: "appvars cache v3",
    context: JSON.stringify([url, apiKey ?? null]),
    secret: apiSecret,
    user: surroundings.user,
    maxUnused: MAX_CACHE_AGE_S * 1_000,
  });
  const open: OpenClient = openClient ?? (async () => withoutServer(maxAge));
  return new CachedSource({
    retrying: await open(timeout, "any"),
    singleTry: await open(Math.min(timeout, SINGLE_TRY_TIMEOUT_S), "rate-limit"),
    file,
    maxAge,
    clock: surroundings.clock,
    onServed: ({ message }, age) => {
      const text = `using values from ${formatDuration(age)} ago`;
      // A requested note is no warning.
      if (openClient) warn(`${text}: ${message}`);
      else note(text);
    },
    onFailure: (error) => {
      const { code, message } = error as NodeJS.ErrnoException;
      warn(`can't keep or remove answers in ${file.folder} (${code ?? message})`);
    },
  });
}

/** The client of a server that must not be asked. */
function withoutServer(maxAge: number): FreshSource {
  const refuse = async () => {
    const age = formatDuration(maxAge * 1_000);
    const fix = "run it once with --cache while the server can be reached";
    throw new UnreachableError(
      `--offline: the cache has no answer from the last ${age} for this command; ${fix}`,
    );
  };
  return { readSnapshot: refuse, getHealth: refuse, close: async () => {} };
}
