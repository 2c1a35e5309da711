import { type Budget, createBudget } from "../../client/budget.js";
import { type ClientOptions, createClient } from "../../client/client.js";
import type { RetryNotice, RetryOn } from "../../client/retry.js";
import { checkCertifiedKey } from "../../domain/certificates.js";
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
  /** Local data that the command has opened, by name: everything it reads from a file is of one version. */
  openServices?: Map<string, Promise<Service>>;
}

/** Creates the signed client for a server. @throws UsageError, UnauthorizedError */
export async function openRemote(
  { url, apiKey, auth, insecure, timeout, maxWait, ...files }: RemoteSettings,
  apiSecret: string | undefined,
  { anonymous, live = false, budget = live ? undefined : createBudget(), retryOn, ...options }: OpenOptions = {},
): Promise<VariableSource> {
  if (!anonymous) {
    if (apiSecret === undefined) throw missingSecretError();
    if (apiKey === undefined && auth === "headers") {
      throw new UnauthorizedError("no API key: set APPVARS_API_KEY or add --api-key");
    }
  }
  const tls = await readTlsFiles(files);
  const { onRetry = () => {}, onResponse = () => {} } = options;
  const access = { url, apiKey, apiSecret, auth, insecure, ...tls };
  return createClient(
    { ...access, timeout, maxWait, retryOn, onRetry, onResponse, revalidate: live },
    { budget, lookup },
  );
}

/** PEM texts. */
export interface TlsTexts {
  ca: string | undefined;
  cert: string | undefined;
  key: string | undefined;
}

/** @throws UsageError for a file that can't be read, has no certificates, or can't be used with the other one */
export async function readTlsFiles({
  caFile,
  clientCert,
  clientKey,
}: Pick<RemoteSettings, "caFile" | "clientCert" | "clientKey">): Promise<TlsTexts> {
  // Not strictly UTF-8: the comments in a bundle may have any encoding.
  const read = async (path: string | undefined, flag: string) =>
    path === undefined ? undefined : (await readSettingFile(path, flag)).toString();
  const ca = await read(caFile, "--ca-file");
  if (ca !== undefined && !ca.includes("-----BEGIN CERTIFICATE-----"))
    throw new UsageError(`--ca-file ${caFile} contains no PEM certificate`);
  const [cert, key] = [await read(clientCert, "--client-cert"), await read(clientKey, "--client-key")];
  if (cert !== undefined && key !== undefined)
    checkCertifiedKey({ cert, key }, { cert: `--client-cert ${clientCert}`, key: `--client-key ${clientKey}` });
  return { ca, cert, key };
}
