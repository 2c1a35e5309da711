import { CachedSource, type CachedSourceOptions } from "../../client/cached-source.js";
import { createBudget } from "../../client/retry.js";
import { UnreachableError } from "../../domain/errors.js";
import { durationText } from "../../domain/printable.js";
import type { VariableSource } from "../../domain/source.js";
import { SealedFile } from "../../files/sealed-file.js";
import type { Context } from "../output/context.js";
import type { RemoteSettings } from "../settings/connection.js";
import { type OpenOptions, openRemote } from "./open-remote.js";

/** Seconds for a request to a server whose answers are kept; a slower server counts as down. */
const SINGLE_TRY_TIMEOUT_S = 5;

/**
 * The client of `openRemote` behind a cache in the user's cache folder, or only the cache if it is `offline`.
 *
 * @throws UsageError, UnauthorizedError
 */
export async function openCached(
  connection: RemoteSettings,
  apiSecret: string,
  { io, note, warn }: Pick<Context, "io" | "note" | "warn">,
  { budget = createBudget(), offline = false, ...options }: OpenOptions & { cache: number },
): Promise<VariableSource> {
  const { url, apiKey } = connection;
  const timeout = Math.min(connection.timeout, SINGLE_TRY_TIMEOUT_S);
  const singleTry = { ...options, budget, retryOn: "rate-limit" } as const;
  const file = new SealedFile({
    parent: io.folders.cache,
    kind: "cache v3",
    owner: JSON.stringify([url, apiKey ?? null]),
    secret: apiSecret,
    user: io.user,
  });
  return new CachedSource({
    ...(offline
      ? withoutServer(options.cache)
      : {
          retrying: await openRemote(connection, apiSecret, io, { ...options, budget }),
          singleTry: await openRemote({ ...connection, timeout }, apiSecret, io, singleTry),
        }),
    file,
    maxAge: options.cache,
    clock: io.clock,
    onServed: ({ message }, age) => {
      const text = `using values from ${durationText(age)} ago`;
      // A requested note is no warning.
      if (offline) note(text);
      else warn(`${text}: ${message}`);
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
      new UnreachableError(`--offline: the cache has no answer from the last ${age} for this command; ${fix}`),
    );
  };
  const source = { readSnapshot: refuse, getHealth: refuse, close: async () => {} };
  return { retrying: source, singleTry: source };
}
