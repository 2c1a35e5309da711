export type { RetryNotice, RetryOn } from "./client/retry.js";
export {
  AppvarsError,
  type ErrorCode,
  InvalidDataError,
  NotFoundError,
  ServerError,
  UnauthorizedError,
  UnreachableError,
  UsageError,
} from "./kit/text/errors.js";
export type { JsonValue } from "./kit/text/strict-json.js";
export { type ClientOptions, createClient } from "./library/decrypting-client.js";
export { type LoadEnvOptions, loadEnv } from "./library/load-env.js";
export { type LocalServer, type ServeOptions, serve } from "./library/local-server.js";
export type { Credentials } from "./model/environment.js";
export { DecryptionError, RateLimitedError } from "./model/errors.js";
export type { Health } from "./model/reads/health.js";
export { type Page, type PageMetadata, type PageRequest, readAll } from "./model/reads/page.js";
export type { Answer, Read, Snapshot, VariableReader, VariableSource } from "./model/reads/read.js";
export type { AuthScheme } from "./model/server-options.js";
export type { ValueContent, Variable, VariableType, VariableValue } from "./model/variable.js";
export type { Faults } from "./server/api/faults.js";
export { type SignedParts, sign, type Tolerance } from "./signing/sign.js";
export { type ReceivedRequest, type VerifyOptions, verify } from "./signing/verify.js";
