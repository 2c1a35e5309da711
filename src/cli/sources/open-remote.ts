import { type Budget, createBudget } from "../../client/budget.js";
import { type ClientOptions, createClient } from "../../client/client.js";
import type { RetryNotice, RetryOn } from "../../client/retry.js";
import { UnauthorizedError, UsageError } from "../../domain/errors.js";
import type { VariableSource } from "../../domain/source.js";
import type { Service } from "../../service/service.js";
import { lookup } from "../processes/end-process.js";
import type { RemoteSettings } from "../settings/connection.js";
import { missingSecretError, readSettingFile } from "../settings/secrets.js";

export interface OpenOptions {
  /** Whether what is read needs no credentials. */
  anonymous?: boolean;
  /** Whether it is read again and again: what has not changed is then not sent again. */
  live?: boolean;
  /** What the command has used so far. Default a new one or, for `live`, one for each call. */
  budget?: Budget | undefined;
  retryOn?: RetryOn | undefined;
  onRetry?: (notice: RetryNotice) => void;
  onResponse?: Required<ClientOptions>["onResponse"];
  /** Maximum age in seconds of a kept answer that is used if the server can't be reached; undefined to keep none. */
  cache?: number | undefined;
  /** Data files that the command has opened, by path: everything it reads from one is of one version. */
  openFiles?: Map<string, Promise<Service>>;
}

/** Creates the signed client for a server. @throws UsageError, UnauthorizedError */
export async function openRemote(
  { url, apiKey, auth, insecure, timeout, maxWait, caFile }: RemoteSettings,
  apiSecret: string | undefined,
  { anonymous, live = false, budget = live ? undefined : createBudget(), retryOn, ...options }: OpenOptions = {},
): Promise<VariableSource> {
  if (!anonymous) {
    if (apiSecret === undefined) throw missingSecretError();
    if (apiKey === undefined && auth === "headers") {
      throw new UnauthorizedError("no API key: set APPVARS_API_KEY or add --api-key");
    }
  }
  const ca = caFile && (await readCertificates(caFile));
  const { onRetry = () => {}, onResponse = () => {} } = options;
  const access = { url, apiKey, apiSecret, auth, insecure, ca };
  return createClient(
    { ...access, timeout, maxWait, retryOn, onRetry, onResponse, revalidate: live },
    { budget, lookup },
  );
}

/** @throws UsageError for a file that can't be read, or has no certificates */
export async function readCertificates(path: string): Promise<string> {
  // Not strictly UTF-8: the comments in a bundle may have any encoding.
  const pem = (await readSettingFile(path, "--ca-file")).toString();
  if (!pem.includes("-----BEGIN CERTIFICATE-----"))
    throw new UsageError(`--ca-file ${path} contains no PEM certificate`);
  return pem;
}
