import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { checkCredential } from "../client/options.js";
import type { RetryNotice } from "../client/retry.js";
import { UnauthorizedError, UsageError } from "../domain/errors.js";
import type { VariableSource } from "../domain/source.js";
import { chooseEnvironment } from "./choose-environment.js";
import type { Io } from "./io.js";
import { missingSecretError } from "./missing-secret.js";
import {
  findSetting,
  type LocalSettings,
  layersOf,
  type RemoteSettings,
  resolveSettings,
  type Setting,
  type SettingName,
  type SourceFlags,
} from "./settings.js";

export interface OpenOptions {
  /** Whether what is asked for needs no credentials. */
  anonymous?: boolean;
  onRetry: (notice: RetryNotice) => void;
  onResponse: (exchange: { target: string; status: number; milliseconds: number }) => void;
}

/**
 * Opens what the flags and the environment say: a server, or a data file with the core that a server runs.
 * Either is loaded only when it is the one.
 *
 * @throws UsageError, UnauthorizedError; for a data file also InvalidDataError and NotFoundError
 */
export async function openSource(flags: SourceFlags, io: Io, options: OpenOptions): Promise<VariableSource> {
  const settings = resolveSettings(layersOf(flags, io));
  return settings.kind === "local" ? openLocal(settings, io) : openRemote(settings, io, options);
}

async function openLocal({ data, env }: LocalSettings, io: Io): Promise<VariableSource> {
  const { openDataFile } = await import("../store/json-file-store.js");
  const { Service } = await import("../service/service.js");
  const service = new Service(await openDataFile(data), io.clock);
  return service.source(chooseEnvironment(service.environments, env));
}

async function openRemote(settings: RemoteSettings, io: Io, options: OpenOptions): Promise<VariableSource> {
  const { createClient } = await import("../create-client.js");
  const apiSecret = settings.apiSecret && (await readSecret(settings.apiSecret, io));
  if (!options.anonymous) requireCredentials(settings, apiSecret);
  const { url, apiKey, auth, timeout, maxWait, caFile } = settings;
  const ca = caFile && (await readCertificates(caFile));
  const { onRetry, onResponse } = options;
  const waiting = { timeout, maxWait, maxWaitScope: "client" } as const;
  return createClient({ url, apiKey, apiSecret, auth, ca, ...waiting, onRetry, onResponse });
}

/** The API secret alone, for what needs no server. @throws UsageError */
export async function findSecret(flags: SourceFlags, io: Io): Promise<string | undefined> {
  const secret = await findText(flags, io, "apiSecret", "apiSecretFile");
  checkCredential("API secret", secret);
  return secret;
}

/** The key for values that clients encrypt. @throws UsageError */
export function findEncryptionKey(flags: SourceFlags, io: Io): Promise<string | undefined> {
  return findText(flags, io, "encKey", "encKeyFile");
}

async function findText(flags: SourceFlags, io: Io, ...names: SettingName[]): Promise<string | undefined> {
  const setting = findSetting(layersOf(flags, io), ...names);
  return setting && readSecret(setting, io);
}

/** A secret that a setting holds, or that is in the file which it names. @throws UsageError when it can't be read */
async function readSecret({ name, text: given, from }: Setting, io: Io): Promise<string> {
  if (!name.endsWith("File")) return given;
  const content = given === "-" ? await text(io.stdin) : await readSettingFile(given, from);
  // The newline at the end of the file is not a part of it.
  const secret = content.replace(/\r?\n$/, "");
  if (secret === "") throw new UsageError(`${from}: there is no secret in it`);
  return secret;
}

async function readCertificates(path: string): Promise<string> {
  const pem = await readSettingFile(path, "--ca-file");
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) throw new UsageError(`--ca-file ${path} holds no PEM certificate`);
  return pem;
}

async function readSettingFile(path: string, from: string): Promise<string> {
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${from} ${path} can't be read (${error.code})`);
  });
}

function requireCredentials({ apiKey, auth }: RemoteSettings, apiSecret: string | undefined): void {
  if (apiSecret === undefined) throw missingSecretError();
  if (apiKey === undefined && auth === "headers") {
    throw new UnauthorizedError("no API key: set APPVARS_API_KEY or add --api-key");
  }
}
