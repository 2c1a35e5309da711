import { access, constants } from "node:fs/promises";
import { checkCredential } from "../../client/options.js";
import { DEFAULT_URL } from "../../domain/defaults.js";
import { AppvarsError, UsageError } from "../../domain/errors.js";
import type { TlsTexts } from "../../domain/tls-options.js";
import type { HttpProxy } from "../../http/proxy.js";
import { type Io, withNotice } from "../output/io.js";
import { isNothingConfigured, UNUSED_DATA_FLAGS } from "../reading/open-source.js";
import type { LocalSettings, RemoteSettings } from "../settings/connection.js";
import { type DataPlace, placeFiles, placeName } from "../settings/data-place.js";
import { findProxy } from "../settings/proxy.js";
import { readTlsFiles } from "../settings/secrets.js";
import { NotAllowedError, type Setting, type SourceFlags } from "../settings/setting.js";
import { SOURCE_SETTINGS } from "../settings/setting-table.js";
import { readSettings, Settings } from "../settings/settings.js";
import { type Finding, ok, problem, warning } from "./finding.js";

export interface SettingsFacts {
  /** Undefined if they are not valid. */
  settings: RemoteSettings | LocalSettings | undefined;
  /** What names the source; undefined for the default. */
  place: Setting | undefined;
  /** The files with secrets that are in use. */
  secretFiles: string[];
  apiSecret: string | undefined;
  /** The flags that open the data file in the current folder, if nothing is configured. */
  unusedDataFlags: string | undefined;
  proxy: HttpProxy | undefined;
  /** Undefined if a file can't be read, or the proxy can't be used. */
  tls: TlsTexts | undefined;
  errors: AppvarsError[];
  /** Settings that are ignored, or used although another user may have set them. */
  notices: string[];
}

/** Reads the settings and the files that they name, as far as possible. */
export async function gatherSettings(flags: SourceFlags, surroundings: Io): Promise<SettingsFacts> {
  const errors: AppvarsError[] = [];
  const notices: string[] = [];
  const io = withNotice(surroundings, (text) => void notices.push(text));
  const trying = async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppvarsError)) throw error;
      errors.push(error);
      return undefined;
    }
  };
  const read = (await trying(() => readSettings(flags, io))) ?? new Settings([], io);
  const settings = errors.length === 0 ? await trying(() => read.connection) : undefined;
  const blocked = read.given.find((setting) => setting.blocked)?.blocked;
  if (blocked && settings) notices.push(blocked);
  const encryptionKey = settings && (await trying(() => read.find("encKey", "encKeyFile")));
  if (encryptionKey) await trying(() => checkReadable(encryptionKey));
  const remote = settings?.kind === "remote" ? settings : undefined;
  const ofStore = settings?.kind === "local" && settings.place.kind === "store" ? placeFiles(settings.place) : [];
  const { apiKey, apiSecret, clientKey } = remote ?? {};
  await trying(() => checkCredential("API key", apiKey));
  const route = remote && (await trying(async () => ({ proxy: findProxy(new URL(remote.url), io.env) })));
  return {
    settings,
    place: settings && read.find(...SOURCE_SETTINGS),
    secretFiles: [
      ...[apiSecret, encryptionKey].flatMap((setting) => (setting && isFile(setting) ? setting.text : [])),
      ...(clientKey === undefined ? [] : [clientKey.text]),
      ...ofStore.map(({ text }) => text),
    ],
    unusedDataFlags: isNothingConfigured(read.given) ? UNUSED_DATA_FLAGS : undefined,
    apiSecret: apiSecret && (await trying(() => readCredential(read))),
    proxy: route?.proxy,
    tls: route && (await trying(() => readTlsFiles(remote))),
    errors,
    notices,
  };
}

async function readCredential(settings: Settings): Promise<string | undefined> {
  const secret = await settings.apiSecret();
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

/** Whether the settings can be used, with a finding for each error. */
export function checkSettings({ errors, notices, settings, place, proxy }: SettingsFacts): Finding[] {
  const warnings = notices.map((notice) => warning(notice, "correct this, unless you expect it"));
  if (errors.length > 0) return [...warnings, ...errors.map(toProblem)];
  const source = settings?.kind === "local" ? describePlace(settings.place) : `server ${place?.text ?? DEFAULT_URL}`;
  const route = proxy ? `, through ${proxy.name}` : "";
  return [...warnings, ok(`${source} (${place ? `from ${place.from}` : "the default"})${route}`)];
}

function describePlace(place: DataPlace): string {
  return `${place.kind === "file" ? "data file" : "store"} ${placeName(place)}`;
}

function toProblem(error: AppvarsError): Finding {
  const fix = error instanceof NotAllowedError ? "read the file, then run appvars allow" : "correct this setting";
  return problem(error.code, error.message, fix);
}
