import type { Account } from "../kit/files/owners.js";
import type { MetricsJson } from "../metrics/registry.js";
import type { AuditState } from "../server/audit.js";
import type { StoreProblem } from "../server/circuit-breaker.js";
import type { ServedRequest } from "../server/served-request.js";
import type { ServerOptions } from "../server/start-server.js";
import type { TlsCredentials } from "../server/tls.js";
import type { CountAnswer, CountRequest } from "./shared-count.js";

/** The first message to a worker, in answer to its "hello". */
export interface Start {
  readonly kind: "start";
  /** The data that the worker opens. It may hold secrets. */
  readonly data: unknown;
  /** Without functions. */
  readonly options: ServerOptions;
  /** Milliseconds since the primary has started. */
  readonly uptime: number;
  /** Whether each request is to be reported. */
  readonly reportsRequests: boolean;
  /** Whether to collect metrics. */
  readonly hasMetrics: boolean;
  /** The audit log, to which each worker appends. */
  readonly auditFile: AuditFileOptions | undefined;
}

export interface AuditFileOptions {
  readonly path: string;
  /** Whose file it has to be. */
  readonly account: Account;
}

/** Messages of the primary. */
export type ToWorker =
  | Start
  | CountAnswer
  /** For new connections. */
  | { readonly kind: "tls"; readonly tls: TlsCredentials }
  /** The worker shall send its metrics. */
  | { readonly kind: "collect" }
  | { readonly kind: "drain" }
  /** Reload the data, and reopen the audit log. */
  | { readonly kind: "reload" };

/** Messages of a worker. */
export type ToPrimary =
  | CountRequest
  | { readonly kind: "hello" }
  /** It serves there. */
  | { readonly kind: "ready"; readonly url: string; readonly port: number }
  /** It can't listen. */
  | { readonly kind: "not-listening"; readonly message: string; readonly code: string | undefined }
  | { readonly kind: "metrics"; readonly metrics: MetricsJson }
  /** So many connections have been refused. */
  | { readonly kind: "refused"; readonly count: number }
  | { readonly kind: "internal-error"; readonly message: string }
  /** As `onProblem` of an `AuditLog`. */
  | { readonly kind: "audit-problem"; readonly state: AuditState }
  /** As `onChange` of a `SharedLimiter`. */
  | { readonly kind: "rate-limit-store"; readonly problem: StoreProblem | undefined }
  /** Requests that have been answered, and the number of those that are left out. */
  | {
      readonly kind: "requests";
      readonly requests: readonly ServedRequest[];
      readonly dropped: number;
    };
