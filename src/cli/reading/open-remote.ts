import { type ClientOptions, createClient } from "../../client/client.js";
import { type Budget, createBudget, type RetryNotice, type RetryOn } from "../../client/retry.js";
import { UnauthorizedError } from "../../domain/errors.js";
import type { VariableSource } from "../../domain/source.js";
import type { Data } from "../../store/data.js";
import type { Io } from "../output/io.js";
import type { RemoteSettings } from "../settings/connection.js";
import { findProxy } from "../settings/environment-proxy.js";
import { missingSecretError, readTlsFiles } from "../settings/secret-files.js";

export interface OpenOptions {
  /** Whether the read needs no credentials. */
  anonymous?: boolean;
  /** Whether it is read repeatedly: unchanged answers are then not sent again. */
  live?: boolean;
  /** The budget used by the command so far. Default a new one or, for `live`, one for each call. */
  budget?: Budget | undefined;
  retryOn?: RetryOn | undefined;
  onRetry?: (notice: RetryNotice) => void;
  onResponse?: Required<ClientOptions>["onResponse"];
  /** Maximum age in seconds of a kept answer that is used if the server can't be reached; undefined to keep none. */
  cache?: number | undefined;
  /** Local data that the command has read, by name: everything it reads from a file is of one version. */
  known?: Map<string, Promise<Data>>;
  /** Whether to answer from the kept answers only, and send nothing. Needs `cache`. */
  offline?: boolean | undefined;
}

/**
 * Creates the signed client for a server.
 *
 * @param io its environment names the proxy
 * @throws UsageError, UnauthorizedError
 */
export async function openRemote(
  { url, apiKey, auth, insecure, timeout, maxWait, ...files }: RemoteSettings,
  apiSecret: string | undefined,
  { env }: Pick<Io, "env">,
  { anonymous, live = false, budget = live ? undefined : createBudget(), retryOn, ...options }: OpenOptions = {},
): Promise<VariableSource> {
  if (!anonymous) {
    if (apiSecret === undefined) throw missingSecretError();
    if (apiKey === undefined && auth === "headers") {
      throw new UnauthorizedError("no API key: set APPVARS_API_KEY or add --api-key");
    }
  }
  const tls = await readTlsFiles(files);
  const proxy = findProxy(new URL(url), env);
  const { onRetry = () => {}, onResponse = () => {} } = options;
  const access = { url, apiKey, apiSecret, auth, insecure, ...tls };
  return createClient(
    { ...access, timeout, maxWait, retryOn, onRetry, onResponse, revalidate: live },
    { budget, proxy },
  );
}
