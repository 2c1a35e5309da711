import type { IncomingHttpHeaders } from "node:http";
import { resolve } from "node:path";
import { DURATION_EXAMPLES, durationMs } from "../../domain/duration.js";
import { type EnvironmentRecord, type KeyPair, parseEnvironmentName, qualifiedName } from "../../domain/environment.js";
import { InvalidDataError, UsageError } from "../../domain/errors.js";
import { type RateLimit, readRateLimit } from "../../domain/http-headers.js";
import { printable } from "../../domain/printable.js";
import { ROUTES } from "../../domain/routes.js";
import { KEY_FILE_END, NEEDS_SEAL_KEY } from "../../domain/sealed-text.js";
import { shellWord } from "../../domain/shell.js";
import type { VariableSource } from "../../domain/source.js";
import { isVariableName } from "../../domain/variable.js";
import type { Service } from "../../service/service.js";
import type { Data } from "../../store/data.js";
import type { EditableStore } from "../../store/store.js";
import type {
  Environments,
  FirstSteps,
  NewCredentials,
  OpenPlace,
  Place,
  PlacesChange,
} from "../../tui/state/ports.js";
import type { LocalData } from "../editing/local-data.js";
import { chooseEnvironment } from "../editing/open-data.js";
import type { Io } from "../output/io.js";
import { credentialLines } from "../output/shell-lines.js";
import { createCheck, problemsOf } from "../reading/check-source.js";
import { createDecrypt } from "../reading/decryption.js";
import { isNothingConfigured, openRemote } from "../reading/open-source.js";
import type { LocalSettings, RemoteSettings } from "../settings/connection.js";
import type { Settings } from "../settings/resolve-settings.js";
import { missingSecretError } from "../settings/secret-files.js";
import { type GivenSettings, SETTINGS, type SettingName } from "../settings/setting-table.js";
import { createHistory } from "./data-history.js";
import { createEditor, type EditedData } from "./editor.js";
import { fileExporter, fileImporter } from "./place-files.js";

type GetCommand = OpenPlace["getCommand"];

/** The places of the left panel. */
export interface Places {
  readonly places: readonly Place[];
  /** Index of the one to open. */
  readonly place: number;
  /** What to offer where nothing is configured. */
  readonly first?: Omit<FirstSteps, "createExample">;
  /** Calls `listener` when places may have been added or removed. Returns a function that ends this. */
  follow?(listener: (change: PlacesChange) => void): () => void;
  /** Releases the shared resources of the places. */
  close(): Promise<void>;
}

/** The places of a group one after another, in the order of their first ones. @param place the index of the one to open */
export function byGroup(all: readonly Place[], place: number): Pick<Places, "places" | "place"> {
  const groups = [...new Set(all.map(({ group }) => group))];
  const places = all.toSorted((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group));
  const opened = all[place];
  return { places, place: opened ? places.indexOf(opened) : 0 };
}

/**
 * Returns a function that opens a place with its own settings.
 *
 * @param read called for each opening: mistakes in settings may have been corrected in the meantime
 */
export function placeOpener(read: () => Settings, getCommand: GetCommand, io: Io): Place["open"] {
  return async (onRateLimit) => {
    const settings = read();
    const { connection } = settings;
    return connection.kind === "local"
      ? openLocal(connection, settings, getCommand, io)
      : openServer(connection, settings, getCommand, onRateLimit, io);
  };
}

async function openLocal({ place, env }: LocalSettings, settings: Settings, getCommand: GetCommand, io: Io) {
  const { localData } = await import("../editing/open-data.js");
  const data = await watchData(await localData(place, io), io);
  const close = () => data.store.close();
  try {
    const environment = chooseEnvironment(data.service.environments, env);
    return await openEnvironment(data, environment, settings, getCommand, close, io);
  } catch (error) {
    await close();
    throw error;
  }
}

/** Each request is sent once: the TUI itself retries, and shows it. @throws UsageError, UnauthorizedError */
async function openServer(
  connection: RemoteSettings,
  settings: Settings,
  getCommand: GetCommand,
  onRateLimit: (rateLimit: RateLimit) => void,
  io: Io,
): Promise<OpenPlace> {
  const decrypt = await createDecrypt(settings);
  const apiSecret = await settings.apiSecret();
  if (apiSecret === undefined) throw isNothingConfigured(settings.given) ? notConfigured() : missingSecretError();
  const source = await openRemote({ ...connection, maxWait: 0 }, apiSecret, io, {
    live: true,
    onResponse: ({ target, headers }) => {
      // Without credentials the request counts against the limit of the address, which is another one.
      const rateLimit = target === ROUTES.health ? undefined : rateLimitOf(headers);
      if (rateLimit) onRateLimit(rateLimit);
    },
  });
  const exportFile = fileExporter(source, decrypt, io);
  return { source, editor: undefined, problems: problemFinder(source, settings), decrypt, getCommand, exportFile };
}

function notConfigured(): UsageError {
  return new UsageError("no server or data file is configured; start appvars tui again to choose one");
}

/** The `RateLimit-*` headers of a response; undefined unless all three are whole numbers. */
export function rateLimitOf(headers: IncomingHttpHeaders): RateLimit | undefined {
  const { limit, remaining, reset } = readRateLimit(headers);
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  return { limit, remaining, reset };
}

/** `check` throws InvalidDataError when other users can change the data too. */
export interface WatchedData extends EditedData, Pick<LocalData, "history"> {
  readonly service: Service;
}

/** @throws InvalidDataError */
export async function watchData(data: LocalData, { clock }: Pick<Io, "clock">): Promise<WatchedData> {
  const { Service } = await import("../../service/service.js");
  const { name, history } = data;
  const store = await data.follow().catch((error: unknown) => {
    throw error instanceof InvalidDataError && isMissingKey(error)
      ? new InvalidDataError(`${error.message}; its own key file is ${name}${KEY_FILE_END}`)
      : error;
  });
  return { name, store, history, service: new Service(store, clock), check: () => void data.check("change") };
}

/** Whether data can't be opened because it is sealed. */
export function isMissingKey({ message }: Error): boolean {
  return message.includes(NEEDS_SEAL_KEY);
}

/** Finds what `check` does; a server is asked, and one that is too old reports only missing values. */
function problemFinder(source: VariableSource, settings: Settings): NonNullable<OpenPlace["problems"]> {
  return async () => {
    const check = await createCheck(settings, { note: () => {} });
    const found = problemsOf(await source.readSnapshot((snapshot) => check(snapshot)));
    return new Map(found.map(({ name, rule }) => [name, rule]));
  };
}

/** An environment of local data, to be read and edited. @param close called when the place is closed */
export async function openEnvironment(
  data: WatchedData,
  environment: EnvironmentRecord,
  settings: Settings,
  getCommand: GetCommand,
  close: () => Promise<void>,
  io: Io,
): Promise<OpenPlace> {
  const { store, service, check } = data;
  const decrypt = await createDecrypt(settings);
  const { dataPlace } = settings;
  const identity = qualifiedName(environment);
  const source = service.source(environment, close);
  return {
    identity,
    source,
    version: () => store.snapshot,
    editor: createEditor(data, environment, await settings.encryptionKey()),
    history: createHistory(data, identity),
    problems: problemFinder(source, settings),
    decrypt,
    getCommand,
    exportFile: fileExporter(source, decrypt, io, dataPlace.kind === "file" ? dataPlace.path : undefined),
    importFile: fileImporter(store, () => service.findEnvironment(identity), io),
    environments: createEnvironments(store, environment, check, io),
  };
}

/**
 * Commands for a POSIX shell. No secret is in them.
 *
 * @param flags select the source of the value
 * @param unset names of environment variables that would select another one
 */
export function getCommandWith(flags: readonly string[], unset: readonly string[] = []): OpenPlace["getCommand"] {
  const env = unset.length > 0 ? ["env", ...unset.flatMap((name) => ["-u", name])] : [];
  return (name) => {
    // A server may have invalid names: they must not be read as flags.
    const words = isVariableName(name) ? [name, ...flags] : [...flags, "--", name];
    // A terminal reads pasted control characters as keys: such a name or path becomes one that does not exist.
    return [...env, "appvars", "get", ...words].map((word) => shellWord(printable(word))).join(" ");
  };
}

/** The flags of these settings, as they were given; with absolute paths, for a shell in another folder. */
export function repeatedFlags(given: GivenSettings, names: readonly SettingName[], folder: string): string[] {
  return names.flatMap((name) => {
    const setting = given.find((each) => each.name === name && each.place === "flag");
    if (!setting) return [];
    const { is } = SETTINGS[name];
    if (is === "switch") return [setting.from];
    return [setting.from, is === "file" ? resolve(folder, setting.text) : setting.text];
  });
}

/** The environments of a store. @param check called before each change; an error that it throws prevents the change */
function createEnvironments(
  store: EditableStore,
  environment: EnvironmentRecord,
  check: () => void,
  io: Io,
): Environments {
  const issue = async (change: (data: Data, pair: KeyPair) => Data): Promise<NewCredentials> => {
    const { issueCredentials } = await import("../../store/edit-environments.js");
    const issued = await issueCredentials((edit) => store.update(edit), change);
    const { api_key: apiKey, api_secret: apiSecret } = issued;
    return { environment: qualifiedName(issued), apiKey, apiSecret, lines: credentialLines(issued, io) };
  };
  return {
    add: async (name) => {
      const { addEnvironment } = await import("../../store/edit-environments.js");
      const added = parseEnvironmentName(name, environment.application);
      check();
      return issue((data, pair) => addEnvironment(data, added, pair));
    },
    rotate: async (grace) => {
      const { rotateEnvironment } = await import("../../store/edit-environments.js");
      const times = { now: io.clock(), grace: grace === "" ? 0 : graceOf(grace) };
      check();
      return issue((data, pair) => rotateEnvironment(data, qualifiedName(environment), pair, times));
    },
  };
}

function graceOf(text: string): number {
  const milliseconds = durationMs(text);
  if (milliseconds === undefined) throw new UsageError(`the time must be like ${DURATION_EXAMPLES}`);
  return milliseconds;
}
