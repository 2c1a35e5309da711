import { access, constants } from "node:fs/promises";
import { checkCredential } from "../../client/options.js";
import { AppvarsError, UsageError } from "../../domain/errors.js";
import type { Io } from "../io.js";
import { layersOf } from "../layers.js";
import { readCertificates } from "../open-remote.js";
import { readSecret } from "../read-secret.js";
import { findSetting, type Setting, type SourceFlags } from "../settings.js";
import { type LocalSettings, type RemoteSettings, resolveSettings } from "../source-settings.js";

/** The settings in effect, and what is wrong with them. */
export interface SettingsFacts {
  /** Undefined when they can't be put together. */
  settings: RemoteSettings | LocalSettings | undefined;
  /** What the URL or the data file was given by; undefined for the default. */
  place: Setting | undefined;
  /** The files with secrets in them that are in use. */
  secretFiles: Setting[];
  apiSecret: string | undefined;
  /** PEM certificates. */
  ca: string | undefined;
  errors: AppvarsError[];
}

/** Reads the settings and the files that they name, each as far as it can be. */
export async function gatherSettings(flags: SourceFlags, io: Io): Promise<SettingsFacts> {
  const errors: AppvarsError[] = [];
  const trying = async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppvarsError)) throw error;
      errors.push(error);
      return undefined;
    }
  };
  const layers = (await trying(() => layersOf(flags, io))) ?? [];
  const settings = errors.length === 0 ? await trying(() => resolveSettings(layers)) : undefined;
  const encryptionKey = settings && (await trying(() => findSetting(layers, "encKey", "encKeyFile")));
  if (encryptionKey) await trying(() => checkReadable(encryptionKey));
  const { apiKey, apiSecret, caFile } = settings?.kind === "remote" ? settings : {};
  await trying(() => checkCredential("API key", apiKey));
  return {
    settings,
    place: settings && findSetting(layers, "url", "data"),
    secretFiles: [apiSecret, encryptionKey].filter((setting) => setting !== undefined).filter(isFile),
    apiSecret: apiSecret && (await trying(() => readCredential(apiSecret, io))),
    ca: caFile === undefined ? undefined : await trying(() => readCertificates(caFile)),
    errors,
  };
}

async function readCredential(setting: Setting, io: Io): Promise<string> {
  const secret = await readSecret(setting, io);
  checkCredential("API secret", secret);
  return secret;
}

async function checkReadable(setting: Setting): Promise<void> {
  if (!isFile(setting)) return;
  await access(setting.text, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${setting.from} ${setting.text} can't be read (${error.code})`);
  });
}

function isFile({ name, text }: Setting): boolean {
  return name.endsWith("File") && text !== "-";
}
