import { join } from "node:path";
import { createAnswerFolder } from "../cache/answer-folder.js";
import { CachedSource } from "../cache/cached-source.js";
import { durationText } from "../domain/duration-text.js";
import type { VariableSource } from "../domain/source.js";
import type { Io } from "./io.js";
import { missingSecretError } from "./missing-secret.js";
import { type OpenOptions, openRemote } from "./open-remote.js";
import { readSecret } from "./read-secret.js";
import type { RemoteSettings } from "./source-settings.js";

/** Seconds for a request to a server that can be done without; a slower one counts as down. */
const BRISK_TIMEOUT_S = 5;

/** What `--cache` asks for. */
export interface CacheOptions {
  /** Most seconds that a kept answer may be old. */
  maxAge: number;
  /** Tells what must not go unnoticed. */
  warn: (text: string) => void;
}

/** The signed client of `openRemote` behind a cache in the user's folder for such. @throws UsageError, UnauthorizedError */
export async function openCached(
  settings: RemoteSettings,
  io: Io,
  { maxAge, warn }: CacheOptions,
  options: OpenOptions,
): Promise<VariableSource> {
  if (!settings.apiSecret) throw missingSecretError();
  // Once for both clients: stdin can't be read again.
  const apiSecret = await readSecret(settings.apiSecret, io);
  const known: RemoteSettings = {
    ...settings,
    apiSecret: { ...settings.apiSecret, name: "apiSecret", text: apiSecret },
  };
  const timeout = Math.min(settings.timeout, BRISK_TIMEOUT_S);
  const root = join(io.folders.cache, "answers");
  const { url, apiKey } = settings;
  return new CachedSource({
    patient: await openRemote(known, io, options),
    brisk: await openRemote({ ...known, timeout }, io, { ...options, retryOn: "rate-limit" }),
    answers: createAnswerFolder(root, { url, apiKey, apiSecret }),
    maxAge,
    clock: io.clock,
    onServed: ({ message }, age) => warn(`using values from ${durationText(age)} ago: ${message}`),
    onFailure: (error) => warn(`can't keep or remove answers in ${root} (${(error as NodeJS.ErrnoException).code})`),
  });
}
