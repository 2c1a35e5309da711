import type { Io } from "../output/io.js";
import { type Connection, connectionOf } from "./connection.js";
import { type DataPlace, dataPlaceOf } from "./data-place.js";
import {
  findSetting,
  hasSetting,
  type Layer,
  type Layers,
  NO_LAYERS,
  readLayer,
  type Setting,
  type SourceFlags,
} from "./layers.js";
import { currentProfile, type FoundProfiles, readProfile, tryReadProfiles } from "./profiles.js";
import { readProjectFile } from "./project-file.js";
import { readSecret, type SecretIo } from "./secrets.js";
import { type SettingName, SOURCE_SETTINGS } from "./setting-names.js";

export type SettingsIo = SecretIo & Pick<Io, "env" | "cwd" | "folders">;

/** The settings of one command: read once, and handed to everything that needs them. */
export class Settings {
  readonly layers: Layers;
  readonly #io: SecretIo;
  #connection: Connection | undefined;
  #apiSecret: Promise<string | undefined> | undefined;
  #encryptionKey: Promise<string | undefined> | undefined;

  constructor(layers: Layers, io: SecretIo) {
    this.layers = layers;
    this.#io = io;
  }

  /** The strongest setting that has one of these names. @throws as `findSetting` */
  find(...names: SettingName[]): Setting | undefined {
    return findSetting(this.layers, ...names);
  }

  /** The server, or the environment of local data, to read from. @throws as `connectionOf` */
  get connection(): Connection {
    this.#connection ??= connectionOf(this.layers);
    return this.#connection;
  }

  /** The data to create, serve or change. @throws as `dataPlaceOf` */
  get dataPlace(): DataPlace {
    return dataPlaceOf(this.layers, this.find("data", "store"));
  }

  /** Read once, since it may come from stdin. Rejects with a UsageError if it can't be read. */
  apiSecret(): Promise<string | undefined> {
    this.#apiSecret ??= this.#readSecret("apiSecret", "apiSecretFile");
    return this.#apiSecret;
  }

  /** The key of the values that clients encrypt, read in the same way. */
  encryptionKey(): Promise<string | undefined> {
    this.#encryptionKey ??= this.#readSecret("encKey", "encKeyFile");
    return this.#encryptionKey;
  }

  async #readSecret(...names: SettingName[]): Promise<string | undefined> {
    const setting = findSetting(this.layers, ...names);
    return setting && readSecret(setting, this.#io);
  }
}

/**
 * Reads the settings from flags, environment variables, `.appvars.json` and the profile.
 *
 * @throws UsageError for a settings file that breaks a rule, or a profile that does not exist
 */
export function readSettings(flags: SourceFlags, io: SettingsIo): Settings {
  return new Settings(readLayers(flags, io), io);
}

/**
 * @param readFile reads each layer that is a file; it may return another one for a file that can't be read
 * @throws as `readSettings`
 */
export function readLayers(
  flags: SourceFlags,
  io: SettingsIo,
  readFile: (read: () => Layer) => Layer = (read) => read(),
): Layers {
  const given = { ...NO_LAYERS, flags: readLayer("flag", flags), variables: readLayer("variable", io.env) };
  const layers = { ...given, project: readFile(() => readProjectFile(io)) };
  const profiles = tryReadProfiles(io);
  const profile = readFile(() => readChosenProfile(given, layers, profiles, io));
  return { ...layers, profile, current: currentProfile(profiles, io) };
}

/** @param given the layers without the project's */
function readChosenProfile(given: Layers, layers: Layers, profiles: FoundProfiles, io: SettingsIo): Layer {
  const { project } = layers;
  // In CI, for example, where the project names a profile that people have, and the environment gives everything.
  const isDispensable =
    !hasSetting(given, "profile") && hasSetting(project.has("profile") ? given : layers, ...SOURCE_SETTINGS);
  const blocked = isDispensable ? project.get("profile")?.blocked : undefined;
  if (blocked === undefined) return readProfile(io, findSetting(layers, "profile"), isDispensable, profiles);
  // The current profile is not used instead: the project means another one.
  const isComplete =
    hasSetting(given, "data", "store") ||
    (hasSetting(given, "apiKey") && hasSetting(given, "apiSecret", "apiSecretFile"));
  if (!isComplete) io.notice?.(`continuing without a profile: ${blocked}`);
  return NO_LAYERS.profile;
}
