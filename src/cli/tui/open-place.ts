import type { IncomingHttpHeaders } from "node:http";
import type { EnvironmentRecord } from "../../domain/environment.js";
import { parseRateLimit, type RateLimit } from "../../domain/http-headers.js";
import { ROUTES } from "../../domain/routes.js";
import type { Service } from "../../service/service.js";
import type { EditableStore } from "../../store/store.js";
import type { OpenPlace, Place } from "../../tui/state/ports.js";
import type { Io } from "../output/io.js";
import type { LocalSettings, RemoteSettings } from "../settings/connection.js";
import type { Settings } from "../settings/settings.js";
import { createDecrypt, type Decrypt } from "../sources/decryption.js";
import { openRemote } from "../sources/open-remote.js";
import { chooseEnvironment } from "../sources/open-source.js";
import { type FileUser, refuseUnsafeFile } from "../sources/safe-files.js";
import { createEditor } from "./editor.js";
import type { GetCommand } from "./get-command.js";

/** What the left panel lists. */
export interface Places {
  readonly places: readonly Place[];
  /** Index of the one to open. */
  readonly place: number;
  /** Releases what the places share. */
  close(): Promise<void>;
}

/** What a place needs besides its data. */
export interface PlaceTools {
  /** Of client-side encrypted values. */
  readonly key: string | undefined;
  readonly decrypt: Decrypt;
  readonly getCommand: GetCommand;
}

/** The tools, with the encryption key from the settings. @throws UsageError when the key can't be read */
export async function placeTools(settings: Settings, getCommand: GetCommand): Promise<PlaceTools> {
  return { key: await settings.encryptionKey(), decrypt: await createDecrypt(settings), getCommand };
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
    const tools = await placeTools(settings, getCommand);
    if (connection.kind === "local") return openLocal(connection, tools, io);
    return openServer(connection, await settings.apiSecret(), tools, onRateLimit);
  };
}

async function openLocal({ data: path, env }: LocalSettings, tools: PlaceTools, io: Io): Promise<OpenPlace> {
  const data = await watchData(path, io);
  const close = () => data.store.close();
  try {
    return openEnvironment(data, chooseEnvironment(data.service.environments, env), tools, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** Each request is sent once: the TUI itself retries, and shows it. @throws UsageError, UnauthorizedError */
async function openServer(
  connection: RemoteSettings,
  apiSecret: string | undefined,
  { decrypt, getCommand }: PlaceTools,
  onRateLimit: (rateLimit: RateLimit) => void,
): Promise<OpenPlace> {
  const source = await openRemote({ ...connection, maxWait: 0 }, apiSecret, {
    live: true,
    onResponse: ({ target, headers }) => {
      // Without credentials the request counts against the limit of the address, which is another one.
      const rateLimit = target === ROUTES.health ? undefined : rateLimitOf(headers);
      if (rateLimit) onRateLimit(rateLimit);
    },
  });
  return { source, editor: undefined, decrypt, getCommand };
}

/** The `RateLimit-*` headers of a response; undefined unless all three are whole numbers. */
export function rateLimitOf(headers: IncomingHttpHeaders): RateLimit | undefined {
  const { limit, remaining, reset } = parseRateLimit(headers);
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  return { limit, remaining, reset };
}

export interface WatchedData {
  readonly store: EditableStore;
  readonly service: Service;
  /** Called before each edit. @throws InvalidDataError when other users can change the file too */
  checkFile(): void;
}

/** @throws InvalidDataError */
export async function watchData(path: string, io: FileUser & Pick<Io, "clock">): Promise<WatchedData> {
  const { openDataFile } = await import("../../store/json-file-store.js");
  const { Service } = await import("../../service/service.js");
  const store = await openDataFile(path, { watch: true });
  return { store, service: new Service(store, io.clock), checkFile: () => void refuseUnsafeFile(path, io) };
}

/** An environment of a data file, to be read and edited. @param close called when the place is closed */
export function openEnvironment(
  { store, service, checkFile }: WatchedData,
  environment: EnvironmentRecord,
  { key, decrypt, getCommand }: PlaceTools,
  close: () => Promise<void>,
): OpenPlace {
  const source = Object.assign(service.source(environment), { close });
  const editor = createEditor(store, environment, key, checkFile);
  return { source, version: () => store.snapshot, editor, decrypt, getCommand };
}
