import { resolve } from "node:path";
import { durationMs } from "../../kit/text/duration.js";
import { InvalidDataError } from "../../kit/text/errors.js";
import { printable } from "../../kit/text/printable.js";
import { shellWord } from "../../kit/text/shell.js";
import {
  type EnvironmentRecord,
  type KeyPair,
  parseEnvironmentName,
  qualifiedName,
} from "../../model/environment.js";
import { type RateLimit, readRateLimit } from "../../model/http-headers.js";
import { ROUTES } from "../../model/routes.js";
import { NEEDS_SEAL_KEY } from "../../model/sealed-text.js";
import type { VariableSource } from "../../model/source.js";
import { isVariableName } from "../../model/variable.js";
import { Service } from "../../service/service.js";
import type { Data } from "../../store/data.js";
import {
  addEnvironment,
  issueCredentials,
  rotateEnvironment,
} from "../../store/edits/edit-environments.js";
import type { LocalData } from "../../tasks/data/local-data.js";
import { chooseEnvironment, localData } from "../../tasks/data/open-data.js";
import { credentialLines } from "../../tasks/data/shell-lines.js";
import type { LocalSettings } from "../../tasks/settings/connection.js";
import type { RemoteSettings } from "../../tasks/settings/remote-settings.js";
import type { Settings } from "../../tasks/settings/resolve-settings.js";
import {
  type GivenSettings,
  SETTINGS,
  type Setting,
  type SettingName,
} from "../../tasks/settings/setting-table.js";
import { createCheck, problemsOf } from "../../tasks/sources/check-source.js";
import { createDecrypt } from "../../tasks/sources/decryption.js";
import { noSecretError, openRemote } from "../../tasks/sources/open-source.js";
import type { Caller, Surroundings } from "../../tasks/surroundings.js";
import type { NewCredentials, OpenPlace, Place } from "../state/ports.js";
import { createHistory } from "./edit-data.js";
import { fileExporter, fileImporter } from "./import-export.js";
import { createEditor, type EditedData } from "./variable-editor.js";

type GetCommand = OpenPlace["getCommand"];

type Access = Awaited<ReturnType<typeof accessWith>>;

/** Reads the key of encrypted values. @throws UsageError if the key can't be read */
export async function accessWith(settings: Settings, getCommand: GetCommand, caller: Caller) {
  const [key, decrypt] = [await settings.secret("encKey"), await createDecrypt(settings)];
  return { settings, key, decrypt, getCommand, caller };
}

/**
 * Returns a function that opens a place with its own settings.
 *
 * @param read called for each opening, because mistakes in the settings may have been corrected in
 *   the meantime
 */
export function placeOpener(
  read: () => Settings,
  getCommand: GetCommand,
  caller: Caller,
): Place["open"] {
  return async (onRateLimit) => {
    const settings = read();
    const { connection } = settings;
    const access = await accessWith(settings, getCommand, caller);
    if (connection.kind === "remote") return openServer(connection, access, onRateLimit);
    const [data, environment] = await openData(connection, caller);
    return openEnvironment(data, environment, access, () => data.store.close());
  };
}

/**
 * Opens a server. Requests are not retried, because the TUI itself retries, and shows that it does.
 *
 * @throws UsageError, UnauthorizedError
 */
async function openServer(
  connection: RemoteSettings,
  { settings, decrypt, getCommand, caller: { surroundings } }: Access,
  onRateLimit: (rateLimit: RateLimit) => void,
): Promise<OpenPlace> {
  const apiSecret = await settings.secret("apiSecret");
  if (apiSecret === undefined) throw noSecretError(settings.given);
  const source = await openRemote({ ...connection, maxWait: 0 }, apiSecret, surroundings, {
    live: true,
    onResponse: ({ target, headers }) => {
      const { limit, remaining, reset } = readRateLimit(headers);
      // Requests without credentials count against the limit of the address, which is a different
      // one.
      if (
        target === ROUTES.health ||
        limit === undefined ||
        remaining === undefined ||
        reset === undefined
      )
        return;
      onRateLimit({ limit, remaining, reset });
    },
  });
  const exportFile = fileExporter(source, decrypt, surroundings);
  return {
    source,
    editor: undefined,
    check: problemFinder(source, settings),
    decrypt,
    getCommand,
    exportFile,
  };
}

interface WatchedData extends LocalData, Pick<EditedData, "store"> {
  /** Whether the keys of a sealed file are set. */
  readonly hasKeys?: boolean;
  readonly service: Service;
}

/** @throws InvalidDataError */
export async function watchData(
  data: LocalData,
  { clock }: Pick<Surroundings, "clock">,
): Promise<WatchedData> {
  const store = await data.follow();
  return { ...data, store, service: new Service(store, clock) };
}

/**
 * Opens local data and chooses one of its environments.
 *
 * @throws InvalidDataError, NotFoundError, UsageError
 */
export async function openData(
  { place, env }: LocalSettings,
  caller: Caller,
  choose = chooseEnvironment,
): Promise<[WatchedData, EnvironmentRecord]> {
  const watched = await watchData(await localData(place, caller), caller.surroundings);
  const { name, service } = watched;
  const check: LocalData["check"] = (purpose) => {
    if (service.environments.some(isLocked))
      throw new InvalidDataError(`${name} ${NEEDS_SEAL_KEY}`);
    return watched.check(purpose);
  };
  const data = { ...watched, check, hasKeys: place.sealKey !== undefined };
  try {
    return [data, choose(data.service.environments, env)];
  } catch (error) {
    await data.store.close();
    throw error;
  }
}

/** Finds the problems that `appvars check` reports. */
function problemFinder(
  source: VariableSource,
  settings: Settings,
): NonNullable<OpenPlace["check"]> {
  return async () => {
    const check = await createCheck(settings);
    const found = problemsOf(await source.readSnapshot((snapshot) => check(snapshot)));
    return new Map(found.map(({ name, rule }) => [name, rule]));
  };
}

/**
 * Returns facts about an environment: its keys, whether it is sealed or locked, and why it is
 * read-only.
 */
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

/**
 * Opens an environment of local data for reading and editing.
 *
 * @param close called when the place is closed
 */
export function openEnvironment(
  data: WatchedData,
  environment: EnvironmentRecord,
  { settings, key, decrypt, getCommand, caller: { surroundings } }: Access,
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
    version: () => store.snapshot,
    editor: {
      ...createEditor(data, environment, key),
      importFile: fileImporter(store, environment, surroundings),
      ...credentialsEditor(data, environment, surroundings),
    },
    history: createHistory(data, identity),
    check: problemFinder(source, settings),
    decrypt,
    getCommand,
    exportFile: fileExporter(source, decrypt, surroundings, name),
  };
}

/**
 * Returns a function that makes `appvars get` commands for a POSIX shell, without secrets.
 *
 * @param flags flags that select the source of the value
 * @param unset names of environment variables that would select another source
 */
export function getCommandWith(
  flags: readonly string[],
  unset: readonly string[] = [],
): GetCommand {
  const env = unset.length > 0 ? ["env", ...unset.flatMap((name) => ["-u", name])] : [];
  return (name) => {
    // A server may send invalid names, which must not be taken as flags.
    const words = isVariableName(name) ? [name, ...flags] : [...flags, "--", name];
    // A terminal takes pasted control characters as keys. Escaping them makes the name or path
    // invalid, but safe.
    return [...env, "appvars", "get", ...words].map((word) => shellWord(printable(word))).join(" ");
  };
}

/**
 * Returns the flags that repeat given settings, with absolute paths, so that they work in any
 * folder.
 */
export function repeatedFlags(
  given: GivenSettings,
  names: readonly SettingName[],
  { cwd }: Pick<Surroundings, "cwd">,
  places: readonly Setting["origin"][] = ["flag"],
): string[] {
  return names.flatMap((name) => {
    const setting = given.find((each) => each.name === name);
    const { kind, flag } = SETTINGS[name];
    if (!setting || !flag || !places.includes(setting.origin)) return [];
    return kind === "switch"
      ? [flag]
      : [flag, kind === "file" ? resolve(cwd(), setting.text) : setting.text];
  });
}

function credentialsEditor(
  { store, check }: EditedData,
  environment: EnvironmentRecord,
  surroundings: Surroundings,
) {
  const issue = async (change: (data: Data, pair: KeyPair) => Data): Promise<NewCredentials> => {
    check("change");
    const issued = await issueCredentials((edit) => store.update(edit), change);
    const { api_key: apiKey, api_secret: apiSecret } = issued;
    return {
      environment: qualifiedName(issued),
      apiKey,
      apiSecret,
      lines: credentialLines(issued, surroundings),
    };
  };
  return {
    addEnvironment: async (name: string) => {
      const added = parseEnvironmentName(name, environment.application);
      return issue((data, pair) => addEnvironment(data, added, pair));
    },
    rotate: (grace: string) => {
      const times = { now: surroundings.clock(), grace: durationMs(grace) ?? 0 };
      return issue((data, pair) =>
        rotateEnvironment(data, qualifiedName(environment), pair, times),
      );
    },
  };
}
