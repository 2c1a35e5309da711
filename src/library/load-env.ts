import type { JsonValue } from "../kit/text/strict-json.js";
import { emitWarning, guardCallbacks } from "./guard-callbacks.js";

type Options<Names extends string, T> = { readonly [Name in Names]?: T | undefined };

type TextFlags =
  | "profile"
  | "url"
  | "data"
  | "store"
  | "sealKeyFile"
  | "env"
  | "apiKey"
  | "apiSecretFile"
  | "encKeyFile"
  | "auth"
  | "caFile"
  | "clientCert"
  | "clientKey"
  | "prefix";

/**
 * Most options are flags of `appvars run`: `apiKey` is `--api-key`. Times are
 * in seconds.
 */
export interface LoadEnvOptions
  extends Options<TextFlags, string>,
    Options<"timeout" | "maxWait", number>,
    Options<"insecure" | "strict" | "preserveEnv" | "offline", boolean>,
    Options<"only" | "exclude" | "envFile" | "allowReserved", readonly string[]> {
  nameTransformer?: "upper" | "lower" | "tf-var" | undefined;
  /** The maximum age of cached answers; `true` for one day. */
  cache?: number | boolean | undefined;
  /** Replaces APPVARS_API_SECRET. */
  apiSecret?: string | undefined;
  /** Replaces APPVARS_ENC_KEY, the key of values that a client has encrypted. */
  encryptionKey?: string | undefined;
  /** Whether to fill `process.env`. Default true. */
  apply?: boolean | undefined;
  /**
   * Called with each message that `run` would print. Default
   * `process.emitWarning`.
   */
  onWarning?: ((message: string) => void) | undefined;
}

/**
 * Reads the variables that `appvars run` would pass to a program, with the same
 * settings, and fills `process.env` with them. If it rejects, nothing is set.
 *
 * @returns the values; `loadEnv<Variables>()` gives them the types that
 *   `appvars export --format typescript` declares
 * @throws UsageError, NotFoundError, DecryptionError, InvalidDataError and the
 *   errors of a client
 */
export async function loadEnv<T = Record<string, JsonValue>>(
  options: LoadEnvOptions = {},
): Promise<T> {
  const { onWarning = emitWarning, ...flags } = guardCallbacks(options);
  // Loaded here, since programs that only use the client don't need it.
  const { loadVariables } = await import("../tasks/run/load-variables.js");
  return (await loadVariables({ ...flags, onWarning })) as T;
}
