import { existsSync } from "node:fs";
import type { ClientOptions } from "../../client/client.js";
import { type Budget, createBudget, type RetryOn } from "../../client/retry.js";
import { findProxy } from "../../kit/net/environment-proxy.js";
import { ifNotFound, UnauthorizedError, UsageError } from "../../kit/text/errors.js";
import { command } from "../../kit/text/shell.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import type { VariableReader, VariableSource } from "../../model/reads/read.js";
import type { Data } from "../../store/data.js";
import { chooseEnvironment } from "../data/choose-environments.js";
import { connectionOf, type DataSettings, locationName } from "../settings/connection.js";
import type { Settings } from "../settings/resolve-settings.js";
import { missingSecretError, readTlsFiles } from "../settings/secret-files.js";
import type { ServerSettings } from "../settings/server-settings.js";
import { DEFAULT_DATA_FILE, SETTINGS, type SettingList } from "../settings/setting-table.js";
import type { Caller, Surroundings } from "../surroundings.js";
import { createDecrypt, type Decrypt } from "./decryption.js";

export interface OpenOptions extends Pick<ClientOptions, "retryOn" | "onRetry" | "onResponse"> {
  /** Whether the read needs no credentials. */
  anonymous?: boolean;
  /** Whether it is read repeatedly: unchanged answers are not sent again. */
  live?: boolean;
  /**
   * The budget of the command. Default: a new one or, for `live`, one for each
   * call.
   */
  budget?: Budget | undefined;
  /**
   * Maximum age in seconds of cached answers, for a server that can't be
   * reached.
   */
  cache?: number | undefined;
  /** Whether to answer from the cache only, and send nothing. Needs `cache`. */
  offline?: boolean | undefined;
  /** The local data that the command has read, by name: it reads one version. */
  readSoFar?: Map<string, Promise<Data>>;
}

/** Opens a server or local data, and loads only the code for that one. */
export async function openSource(
  settings: Settings,
  caller: Caller,
  options: OpenOptions = {},
): Promise<VariableSource> {
  const connection = connectionOf(settings);
  if (connection.kind === "data") return openDataView(connection, caller, options);
  const apiSecret = await settings.secret("apiSecret");
  if (apiSecret === undefined && !options.anonymous) throw noSecretError(settings.given);
  const { surroundings } = caller;
  const noted = { ...noteExchanges(caller, options.live), ...options };
  if (options.cache === undefined || apiSecret === undefined)
    return openRemote(connection, apiSecret, surroundings, noted);
  const { openCached } = await import("./open-cached.js");
  const { budget = createBudget(), offline } = options;
  const openClient = (timeout: number, retryOn: RetryOn) =>
    openRemote({ ...connection, timeout }, apiSecret, surroundings, { ...noted, budget, retryOn });
  return openCached(connection, apiSecret, caller, options.cache, offline ? undefined : openClient);
}

/** Closes the source after `use`. */
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

/** @throws NotFoundError that names each missing one, DecryptionError */
export async function readValues(
  names: readonly string[],
  settings: Settings,
  caller: Caller,
  options: OpenOptions,
): Promise<JsonValue[]> {
  return withSource(openSource(settings, caller, options), async (source) => {
    const decrypt = await createDecrypt(settings);
    // One read needs no snapshot.
    if (names.length === 1) return readFrom(source, names, decrypt);
    return source.readSnapshot((snapshot) => readFrom(snapshot, names, decrypt));
  });
}

async function readFrom(
  reader: VariableReader,
  names: readonly string[],
  decrypt: Decrypt,
): Promise<JsonValue[]> {
  const contents = await Promise.all(
    names.map((name) => reader.answer({ kind: "content", name }).catch(ifNotFound)),
  );
  const [values, missing]: [JsonValue[], string[]] = [[], []];
  for (const [index, name] of names.entries()) {
    const content = contents[index];
    if (content) values.push(decrypt(name, content.value));
    else missing.push(name);
  }
  if (missing.length === 0) return values;
  const { missingNamesError } = await import("../../model/reads/missing-names.js");
  throw await missingNamesError(missing, reader);
}

/** Notes why the client retries, and traces each request. */
function noteExchanges(caller: Caller, live = false): OpenOptions {
  let isAnswered = false;
  let lastReason: string | undefined;
  return {
    onRetry: ({ reason }) => {
      // A server that is down for a minute is one line. Commands that read
      // repeatedly report an outage themselves.
      if (reason !== lastReason && !(live && isAnswered)) caller.note(`trying again: ${reason}`);
      lastReason = reason;
    },
    onResponse: ({ target, status, milliseconds }) => {
      isAnswered = true;
      caller.trace?.(`GET ${target} ${status} in ${milliseconds} ms`);
    },
  };
}

export async function openRemote(
  { url, from, apiKey, auth, insecure, timeout, maxWait, tls }: ServerSettings,
  apiSecret: string | undefined,
  { env, clock }: Surroundings,
  { anonymous, live = false, retryOn, onRetry, onResponse, ...options }: OpenOptions = {},
): Promise<VariableSource> {
  if (!anonymous && apiKey === undefined && auth === "headers") throw missingKeyError();
  // Loaded here: local data needs no client.
  const { Client } = await import("../../client/client.js");
  const access = { url, apiKey, apiSecret, auth, insecure, ...(await readTlsFiles(tls)) };
  const { budget = live ? undefined : createBudget() } = options;
  return new Client(
    { ...access, timeout, maxWait, retryOn, onRetry, onResponse, revalidate: live },
    { budget, from, proxy: findProxy(new URL(url), env), clock },
  );
}

/** Reads local data, or follows it if it is live. */
async function openDataView(
  { location, env }: DataSettings,
  caller: Caller,
  { live, offline, readSoFar }: OpenOptions,
): Promise<VariableSource> {
  if (offline && location.kind === "etcd")
    throw new UsageError(
      "--offline is for a server whose answers are cached: a store is read over the network",
    );
  const { openDataAccess, readData } = await import("../data/open-data.js");
  if (live) {
    const { Service } = await import("../../service/service.js");
    const store = await (await openDataAccess(location, caller, "read")).follow();
    const service = new Service(store, caller.surroundings.clock);
    try {
      return service.source(chooseEnvironment(service.environments, env));
    } catch (error) {
      await service.close();
      throw error;
    }
  }
  const { EnvironmentView } = await import("../../service/environment-view.js");
  const reading = readSoFar?.get(locationName(location)) ?? readData(location, caller);
  readSoFar?.set(locationName(location), reading);
  const data = await reading;
  const environment = chooseEnvironment(data.environments, env);
  return new EnvironmentView(data, environment, caller.surroundings.clock);
}

/** Whether neither a source nor credentials are configured. */
export function isNothingConfigured(given: SettingList): boolean {
  return given.every(({ name }) => !["url", "apiKey", "apiSecret"].includes(SETTINGS[name].group));
}

/** Advises to read the data file of this folder, if that is all there is. */
export function noSecretError(given: SettingList): UnauthorizedError {
  if (!isNothingConfigured(given) || !existsSync(DEFAULT_DATA_FILE)) return missingSecretError();
  return new UnauthorizedError(
    command`no server or data file is configured; to read the file in this folder, add --data ${DEFAULT_DATA_FILE}`,
  );
}

export function missingKeyError(): UnauthorizedError {
  return new UnauthorizedError("no API key: set APPVARS_API_KEY or add --api-key");
}
