import { CachedSource, type CachedSourceOptions } from "../../client/cached-source.js";
import type { RetryOn } from "../../client/retry.js";
import { SealedFile } from "../../kit/files/sealed-file.js";
import { durationText } from "../../kit/text/duration.js";
import { UnreachableError } from "../../kit/text/errors.js";
import { MAX_KEPT_S } from "../../model/defaults.js";
import type { VariableSource } from "../../model/source.js";
import type { RemoteSettings } from "../settings/remote-settings.js";
import type { Caller } from "../surroundings.js";

/** Seconds for a request to a server whose answers are cached; a slower server counts as down. */
const SINGLE_TRY_TIMEOUT_S = 5;

/**
 * Opens the client of a server behind a cache in the user's cache folder.
 *
 * @param maxAge of a cached answer that is used, in seconds
 * @param openClient gets the seconds for one request; `undefined` to use only the cache
 * @throws UsageError, UnauthorizedError
 */
export async function openCached(
  { url, apiKey, timeout }: RemoteSettings,
  apiSecret: string,
  { surroundings, note, warn }: Caller,
  maxAge: number,
  openClient?: (timeout: number, retryOn: RetryOn) => Promise<VariableSource>,
): Promise<VariableSource> {
  const file = new SealedFile({
    parent: surroundings.folders.cache,
    kind: "cache v3",
    owner: JSON.stringify([url, apiKey ?? null]),
    secret: apiSecret,
    user: surroundings.user,
    maxUnused: MAX_KEPT_S * 1_000,
  });
  return new CachedSource({
    ...(openClient
      ? {
          retrying: await openClient(timeout, "any"),
          singleTry: await openClient(Math.min(timeout, SINGLE_TRY_TIMEOUT_S), "rate-limit"),
        }
      : withoutServer(maxAge)),
    file,
    maxAge,
    clock: surroundings.clock,
    onServed: ({ message }, age) => {
      const text = `using values from ${durationText(age)} ago`;
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

/** Stands in for the client of a server that must not be asked. @param maxAge seconds */
function withoutServer(maxAge: number): Pick<CachedSourceOptions, "retrying" | "singleTry"> {
  const refuse = () => {
    const age = durationText(maxAge * 1_000);
    const fix = "run it once with --cache while the server can be reached";
    return Promise.reject(
      new UnreachableError(
        `--offline: the cache has no answer from the last ${age} for this command; ${fix}`,
      ),
    );
  };
  const source = { readSnapshot: refuse, getHealth: refuse, close: async () => {} };
  return { retrying: source, singleTry: source };
}
