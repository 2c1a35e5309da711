import { type EnvironmentRecord, findEnvironment, qualifiedName } from "../../domain/environment.js";
import { UsageError } from "../../domain/errors.js";
import type { VariableSource } from "../../domain/source.js";
import type { Context } from "../output/context.js";
import type { LocalSettings } from "../settings/connection.js";
import { placeName } from "../settings/data-place.js";
import type { Settings } from "../settings/settings.js";
import type { OpenOptions } from "./open-remote.js";
import { noSecretError } from "./unused-data.js";

/**
 * Opens what the settings describe: a server, or local data with the service that a server runs. Loads only the code
 * for that one.
 *
 * @throws UsageError, UnauthorizedError; for local data also InvalidDataError and NotFoundError
 */
export async function openSource(
  settings: Settings,
  context: Context,
  options: OpenOptions = {},
): Promise<VariableSource> {
  const { connection } = settings;
  const { cache, offline } = options;
  if (connection.kind === "local") {
    if (offline && connection.place.kind === "store")
      throw new UsageError("--offline is for a server whose answers are cached: a store is read over the network");
    return openLocal(connection, context, options);
  }
  const noted = { ...noteExchanges(context, options), ...options };
  const apiSecret = await settings.apiSecret();
  if (apiSecret === undefined && !options.anonymous) throw await noSecretError(settings.given);
  if (cache !== undefined && apiSecret !== undefined) {
    const { openCached } = await import("./open-cached.js");
    return openCached(connection, apiSecret, context, { ...noted, cache });
  }
  const { openRemote } = await import("./open-remote.js");
  return openRemote(connection, apiSecret, context.io, noted);
}

/** Opens the source, lets `use` read from it, and closes it in any case. */
export async function withSource<T>(
  opening: Promise<VariableSource>,
  use: (source: VariableSource) => Promise<T>,
): Promise<T> {
  const source = await opening;
  try {
    return await use(source);
  } finally {
    await source.close();
  }
}

/**
 * Tells a person why the client retries, and with `--verbose` about each request.
 */
function noteExchanges(
  context: Context,
  { live = false }: OpenOptions,
): Required<Pick<OpenOptions, "onRetry" | "onResponse">> {
  let isAnswered = false;
  let lastReason: string | undefined;
  return {
    onRetry: ({ reason }) => {
      // A server that is down for a minute is one line. Commands that read repeatedly report an outage themselves.
      if (reason !== lastReason && !(live && isAnswered)) context.note(`trying again: ${reason}`);
      lastReason = reason;
    },
    onResponse: ({ target, status, milliseconds }) => {
      isAnswered = true;
      if (context.flags.verbose) context.note(`GET ${target} ${status} in ${milliseconds} ms`);
    },
  };
}

async function openLocal(
  { place, env }: LocalSettings,
  context: Context,
  { live = false, openServices = new Map() }: OpenOptions,
): Promise<VariableSource> {
  // Not bundled, and needed for local data only.
  const { openService } = await import("./open-local.js");
  const name = placeName(place);
  const opening = openServices.get(name) ?? openService(place, live, context);
  openServices.set(name, opening);
  const service = await opening;
  try {
    return service.source(chooseEnvironment(service.environments, env));
  } catch (error) {
    await service.close();
    throw error;
  }
}

/**
 * The environment that `--env` names, or the only one there is.
 *
 * @throws NotFoundError; UsageError if it is ambiguous or must be named
 */
export function chooseEnvironment(
  environments: readonly EnvironmentRecord[],
  name: string | undefined,
): EnvironmentRecord {
  if (name !== undefined) return findEnvironment(environments, name);
  const [only, ...others] = environments;
  if (only && others.length === 0) return only;
  if (!only) throw new UsageError("there are no environments yet: create one with appvars env add NAME");
  const choices = environments.map(qualifiedName).join(", ");
  throw new UsageError(`which environment? add --env with one of ${choices}`);
}
