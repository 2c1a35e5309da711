import { join } from "node:path";
import { createAnswerFolder } from "../../cache/answer-folder.js";
import { CachedSource } from "../../cache/cached-source.js";
import { createBudget } from "../../client/budget.js";
import { durationText } from "../../domain/printable.js";
import type { VariableSource } from "../../domain/source.js";
import type { Context } from "../output/context.js";
import type { RemoteSettings } from "../settings/connection.js";
import { type OpenOptions, openRemote } from "./open-remote.js";

/** Seconds for a request to a server whose answers are kept; a slower server counts as down. */
const SINGLE_TRY_TIMEOUT_S = 5;

/** The client of `openRemote` behind a cache in the user's cache folder. @throws UsageError, UnauthorizedError */
export async function openCached(
  connection: RemoteSettings,
  apiSecret: string,
  { io, warn }: Pick<Context, "io" | "warn">,
  { budget = createBudget(), ...options }: OpenOptions & { cache: number },
): Promise<VariableSource> {
  const { url, apiKey } = connection;
  const timeout = Math.min(connection.timeout, SINGLE_TRY_TIMEOUT_S);
  const singleTry = { ...options, budget, retryOn: "rate-limit" } as const;
  return new CachedSource({
    retrying: await openRemote(connection, apiSecret, io, { ...options, budget }),
    singleTry: await openRemote({ ...connection, timeout }, apiSecret, io, singleTry),
    answers: createAnswerFolder(io.folders.cache, { url, apiKey, apiSecret }, io.user),
    maxAge: options.cache,
    clock: io.clock,
    ticks: io.ticks,
    onServed: ({ message }, age) => warn(`using values from ${durationText(age)} ago: ${message}`),
    onFailure: (error) => {
      const { code, message } = error as NodeJS.ErrnoException;
      warn(`can't keep or remove answers in ${join(io.folders.cache, "answers")} (${code ?? message})`);
    },
  });
}
