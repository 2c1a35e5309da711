import { parseDurationMs } from "../../kit/text/duration.js";
import { InvalidDataError } from "../../kit/text/errors.js";
import {
  type EnvironmentRecord,
  type KeyPair,
  parseEnvironmentName,
  qualifiedName,
} from "../../model/environment.js";
import { parseRateLimitHeaders, type RateLimit } from "../../model/reads/http-headers.js";
import type { VariableSource } from "../../model/reads/read.js";
import { ROUTES } from "../../model/reads/routes.js";
import { NEEDS_SEAL_KEY } from "../../model/seal-key.js";
import { Service } from "../../service/service.js";
import type { Data } from "../../store/data.js";
import {
  addEnvironment,
  issueCredentials,
  rotateEnvironment,
} from "../../store/edits/edit-environments.js";
import { changesToRestore, planUndo, readEntries } from "../../store/edits/environment-history.js";
import { chooseEnvironment } from "../../tasks/data/choose-environments.js";
import type { DataAccess } from "../../tasks/data/data-access.js";
import { credentialLines } from "../../tasks/data/key-advice.js";
import { openDataAccess } from "../../tasks/data/open-data.js";
import { connectionOf, type DataSettings } from "../../tasks/settings/connection.js";
import type { Settings } from "../../tasks/settings/resolve-settings.js";
import type { ServerSettings } from "../../tasks/settings/server-settings.js";
import { createCheck, problemsOf } from "../../tasks/sources/check-source.js";
import { createDecrypt } from "../../tasks/sources/decryption.js";
import { noSecretError, openRemote } from "../../tasks/sources/open-source.js";
import type { Caller, Surroundings } from "../../tasks/surroundings.js";
import type { NewCredentials, OpenPlace, Place } from "../state/ports.js";
import { fileExporter, fileImporter } from "./import-export.js";
import { createEditor, type EditedData } from "./variable-editor.js";

export type GetCommand = OpenPlace["getCommand"];

type PlaceContext = Awaited<ReturnType<typeof placeContext>>;

/** @throws UsageError if the key of encrypted values can't be read */
export async function placeContext(settings: Settings, getCommand: GetCommand, caller: Caller) {
  const [key, decrypt] = [await settings.secret("encKey"), await createDecrypt(settings)];
  return { settings, key, decrypt, getCommand, caller };
}

/**
 * Opens a place with its own settings.
 *
 * @param read called for each opening, because mistakes may have been corrected
 */
export function placeOpener(
  read: () => Settings,
  getCommand: GetCommand,
  caller: Caller,
): Place["open"] {
  return async (onRateLimit) => {
    const settings = read();
    const connection = connectionOf(settings);
    const access = await placeContext(settings, getCommand, caller);
    if (connection.kind === "server") return openServer(connection, access, onRateLimit);
    const [data, environment] = await openData(connection, caller);
    return openEnvironment(data, environment, access, () => data.store.close());
  };
}

/**
 * Opens a server. The TUI itself retries, and shows that it does.
 *
 * @throws UsageError, UnauthorizedError
 */
async function openServer(
  connection: ServerSettings,
  { settings, decrypt, getCommand, caller: { surroundings } }: PlaceContext,
  onRateLimit: (rateLimit: RateLimit) => void,
): Promise<OpenPlace> {
  const apiSecret = await settings.secret("apiSecret");
  if (apiSecret === undefined) throw noSecretError(settings.given);
  const source = await openRemote({ ...connection, maxWait: 0 }, apiSecret, surroundings, {
    live: true,
    onResponse: ({ target, headers }) => {
      const { limit, remaining, reset } = parseRateLimitHeaders(headers);
      // Requests without credentials count against the limit of the address.
      if (target === ROUTES.health) return;
      if (limit !== undefined && remaining !== undefined && reset !== undefined)
        onRateLimit({ limit, remaining, reset });
    },
  });
  return {
    source,
    editor: undefined,
    decrypt,
    getCommand,
    check: problemFinder(source, settings),
    exportFile: fileExporter(source, decrypt, surroundings),
  };
}

export interface WatchedData extends DataAccess, Pick<EditedData, "store"> {
  /** Whether the keys of a sealed file are set. */
  readonly hasKeys?: boolean;
  readonly service: Service;
}

/** @throws InvalidDataError */
export async function watchData(
  data: DataAccess,
  { clock }: Pick<Surroundings, "clock">,
): Promise<WatchedData> {
  const store = await data.follow();
  return { ...data, store, service: new Service(store, clock) };
}

/**
 * Opens local data, and chooses an environment.
 *
 * @throws InvalidDataError, NotFoundError, UsageError
 */
export async function openData(
  { location, env }: DataSettings,
  caller: Caller,
  choose = chooseEnvironment,
): Promise<[WatchedData, EnvironmentRecord]> {
  const watched = await watchData(await openDataAccess(location, caller), caller.surroundings);
  const { name, service } = watched;
  const check: DataAccess["check"] = (purpose) => {
    if (service.environments.some(isLocked))
      throw new InvalidDataError(`${name} ${NEEDS_SEAL_KEY}`);
    return watched.check(purpose);
  };
  const data = { ...watched, check, hasKeys: location.sealKey !== undefined };
  try {
    return [data, choose(data.service.environments, env)];
  } catch (error) {
    await data.store.close();
    throw error;
  }
}

function problemFinder(
  source: VariableSource,
  settings: Settings,
): NonNullable<OpenPlace["check"]> {
  return async () => {
    const check = await createCheck(settings);
    const problems = problemsOf(await source.readSnapshot((snapshot) => check(snapshot)));
    return new Map(problems.map(({ name, rule }) => [name, rule]));
  };
}

export function placeFacts(
  data: WatchedData,
  environment: EnvironmentRecord,
): NonNullable<OpenPlace["facts"]> {
  const { keys = [] } = environment;
  return {
    identity: qualifiedName(environment),
    apiKeys: keys.map(({ name, only }) => ({ name, ...(only && { only }) })),
    isLocked: isLocked(environment),
    isSealed: data.hasKeys || isLocked(environment),
    readOnly: reasonOf(() => data.check("change")),
  };
}

/** Whether the secrets are sealed and the key is missing. */
function isLocked(environment: EnvironmentRecord): boolean {
  return reasonOf(() => environment.api_secret) !== undefined;
}

function reasonOf(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** @param close called when the place is closed */
export function openEnvironment(
  data: WatchedData,
  environment: EnvironmentRecord,
  { settings, key, decrypt, getCommand, caller: { surroundings } }: PlaceContext,
  close: () => Promise<void>,
): OpenPlace {
  const { name, store, service } = data;
  const identity = qualifiedName(environment);
  const source = service.source(environment, close);
  return {
    get facts() {
      return placeFacts(
        data,
        service.environments.find(({ id }) => id === environment.id) ?? environment,
      );
    },
    source,
    version: () => store.data,
    editor: {
      ...createEditor(data, environment, key),
      importFile: fileImporter(store, environment, surroundings),
      ...credentialsEditor(data, environment, surroundings),
    },
    history: {
      read: (isWanted, limit) =>
        data.history((recorded) => readEntries(recorded, identity, isWanted, limit)),
      undo: (isWanted) => data.history((recorded) => planUndo(recorded, identity, isWanted)),
      rollBack: (id, variable) =>
        data.history((recorded) => changesToRestore(recorded, identity, id, variable)),
    },
    check: problemFinder(source, settings),
    decrypt,
    getCommand,
    exportFile: fileExporter(source, decrypt, surroundings, name),
  };
}

function credentialsEditor(
  { store, check }: EditedData,
  environment: EnvironmentRecord,
  surroundings: Surroundings,
) {
  const issue = async (change: (data: Data, pair: KeyPair) => Data): Promise<NewCredentials> => {
    check("change");
    const { environment: owner, pair } = await issueCredentials(
      (edit) => store.update(edit),
      change,
    );
    return {
      environment: qualifiedName(owner),
      apiKey: pair.api_key,
      apiSecret: pair.api_secret,
      lines: credentialLines(pair, surroundings),
    };
  };
  return {
    addEnvironment: async (name: string) => {
      const added = parseEnvironmentName(name, environment.application);
      return issue((data, pair) => addEnvironment(data, added, pair));
    },
    rotate: (grace: string) => {
      const times = { now: surroundings.clock(), grace: parseDurationMs(grace) ?? 0 };
      return issue((data, pair) =>
        rotateEnvironment(data, qualifiedName(environment), pair, times),
      );
    },
  };
}
