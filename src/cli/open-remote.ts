import type { ClientDependencies } from "../client/client.js";
import type { RetryNotice, RetryOn } from "../client/retry.js";
import { createClient } from "../create-client.js";
import { UnauthorizedError, UsageError } from "../domain/errors.js";
import type { VariableSource } from "../domain/source.js";
import type { Io } from "./io.js";
import { missingSecretError } from "./missing-secret.js";
import { readSecret, readSettingFile } from "./read-secret.js";
import type { RemoteSettings } from "./source-settings.js";

export interface OpenOptions {
  /** Whether what is asked for needs no credentials. */
  anonymous?: boolean;
  /** Whether it will be read again and again: what has not changed is then not sent again. */
  live?: boolean;
  retryOn?: RetryOn;
  onRetry: (notice: RetryNotice) => void;
  onResponse: ClientDependencies["onResponse"];
}

/** Makes the signed client that the settings describe. @throws UsageError, UnauthorizedError */
export async function openRemote(
  settings: RemoteSettings,
  io: Pick<Io, "stdin">,
  options: OpenOptions,
): Promise<VariableSource> {
  const apiSecret = settings.apiSecret && (await readSecret(settings.apiSecret, io));
  if (!options.anonymous) requireCredentials(settings, apiSecret);
  const { url, apiKey, auth, timeout, maxWait, caFile } = settings;
  const ca = caFile && (await readCertificates(caFile));
  const { live = false, retryOn, onRetry, onResponse } = options;
  // One command waits no longer than that in all; what goes on for hours begins anew with each call.
  const waiting = { timeout, maxWait, maxWaitScope: live ? "call" : "client" } as const;
  return createClient({ url, apiKey, apiSecret, auth, ca, ...waiting, revalidate: live, retryOn, onRetry, onResponse });
}

/** @throws UsageError for a file that can't be read, or holds none */
export async function readCertificates(path: string): Promise<string> {
  const pem = await readSettingFile(path, "--ca-file");
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) throw new UsageError(`--ca-file ${path} holds no PEM certificate`);
  return pem;
}

function requireCredentials({ apiKey, auth }: RemoteSettings, apiSecret: string | undefined): void {
  if (apiSecret === undefined) throw missingSecretError();
  if (apiKey === undefined && auth === "headers") {
    throw new UnauthorizedError("no API key: set APPVARS_API_KEY or add --api-key");
  }
}
