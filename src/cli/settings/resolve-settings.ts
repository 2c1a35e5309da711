import type { Io } from "../output/io.js";
import { type Connection, connectionOf, type DataPlace, dataPlaceOf } from "./connection.js";
import { readProfile } from "./profiles.js";
import { readProjectFile } from "./project-file.js";
import { readSecret, type SecretIo } from "./secret-files.js";
import {
  findSetting,
  type GivenSettings,
  hasSetting,
  readGiven,
  type Setting,
  type SettingName,
  SOURCE_SETTINGS,
  type SourceFlags,
} from "./setting-table.js";

export type SettingsIo = SecretIo & Pick<Io, "env" | "cwd" | "folders">;

/** The settings of one command: read once, and handed to everything that needs them. */
export class Settings {
  readonly given: GivenSettings;
  readonly #io: SecretIo;
  #connection: Connection | undefined;
  #apiSecret: Promise<string | undefined> | undefined;
  #encryptionKey: Promise<string | undefined> | undefined;

  constructor(given: GivenSettings, io: SecretIo) {
    this.given = given;
    this.#io = io;
  }

  /** The strongest setting that has one of these names. @throws as `findSetting` */
  find(...names: SettingName[]): Setting | undefined {
    return findSetting(this.given, ...names);
  }

  /** The server, or the environment of local data, to read from. @throws as `connectionOf` */
  get connection(): Connection {
    this.#connection ??= connectionOf(this.given);
    return this.#connection;
  }

  /** The data to create, serve or change. @throws as `dataPlaceOf` */
  get dataPlace(): DataPlace {
    return dataPlaceOf(this.given, this.find("data", "store"));
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
    const setting = this.find(...names);
    return setting && readSecret(setting, this.#io);
  }
}

/**
 * Reads the settings from flags, environment variables, `.appvars.json` and the profile.
 *
 * @throws UsageError for a settings file that breaks a rule, or a profile that does not exist
 */
export function readSettings(flags: SourceFlags, io: SettingsIo): Settings {
  return new Settings(collectSettings(flags, io), io);
}

/**
 * @param readFile reads the settings of each file; it may return others for a file that can't be used
 * @throws as `readSettings`
 */
export function collectSettings(
  flags: SourceFlags,
  io: SettingsIo,
  readFile: (read: () => Setting[]) => Setting[] = (read) => read(),
): Setting[] {
  const own = [...readGiven("flag", flags), ...readGiven("variable", io.env)];
  const project = readFile(() => readProjectFile(io));
  return [...own, ...project, ...readFile(() => readChosenProfile(own, project, io))];
}

function readChosenProfile(own: GivenSettings, project: GivenSettings, io: SettingsIo): Setting[] {
  const given = [...own, ...project];
  const ofProject = project.find(({ name }) => name === "profile");
  // In CI, for example, where the project names a profile that people have, and the environment gives everything.
  const isDispensable = !hasSetting(own, "profile") && hasSetting(ofProject ? own : given, ...SOURCE_SETTINGS);
  const blocked = isDispensable ? ofProject?.blocked : undefined;
  if (blocked === undefined) return readProfile(io, findSetting(given, "profile"), isDispensable);
  // The current profile is not used instead: the project means another one.
  const isComplete =
    hasSetting(own, "data", "store") || (hasSetting(own, "apiKey") && hasSetting(own, "apiSecret", "apiSecretFile"));
  if (!isComplete) io.notice?.(`continuing without a profile: ${blocked}`);
  return [];
}
