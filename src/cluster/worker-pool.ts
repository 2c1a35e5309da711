import type { WorkerMetrics } from "../metrics/worker-metrics.js";
import type { AuditState } from "../server/audit.js";
import type { StoreProblem } from "../server/circuit-breaker.js";
import { type RunningServer, type ServerOptions, withDefaults } from "../server/start-server.js";
import type { TlsCredentials } from "../server/tls.js";
import { createSharedCount } from "./shared-count.js";
import { type ProcessOptions, WorkerLink } from "./worker-link.js";
import type { AuditFileOptions, ToPrimary } from "./worker-messages.js";

/** So many workers that end in a row before they are ready end the server. */
const MAX_FAILED_STARTS = 5;
const MIN_PAUSE_MS = 100;

/** The needs of worker processes besides the options of their server. */
export interface ClusterSetup {
  process: ProcessOptions;
  /** The data that each worker opens, in a form that can be sent. */
  data: unknown;
  auditFile?: AuditFileOptions | undefined;
  /** Once it resolves, the workers are not waited for. */
  stopped?: Promise<void> | undefined;
  /**
   * Called with each line that a worker writes to stderr, such as the stack of an error that ends
   * it.
   */
  onErrorLine: (line: string) => void;
  /**
   * Called when a worker has ended and another one is started.
   *
   * @param reason `exit code 1` or `SIGKILL`
   */
  onReplaced: (reason: string) => void;
  /** Gets the metrics of the workers, which collect none without it. */
  workerMetrics?: WorkerMetrics | undefined;
  /** Called as `onProblem` of an `AuditLog`, by each worker. */
  onAuditProblem: (state: AuditState) => void;
}

type Place = Pick<RunningServer, "url" | "port">;

/** The worker processes, each of which is replaced when it ends. */
export class WorkerPool {
  /** Rejects if workers end again and again before they are ready. */
  readonly failure: Promise<never>;
  readonly #options: ServerOptions;
  readonly #setup: ClusterSetup;
  /** How many there are to be. */
  readonly #size: number;
  readonly #ticks: () => number;
  readonly #workers = new Set<WorkerLink>();
  readonly #storeProblems = new Map<WorkerLink, StoreProblem | undefined>();
  readonly #count: ReturnType<typeof createSharedCount>;
  readonly #startedAt: number;
  #tls: TlsCredentials | undefined;
  #failedStarts = 0;
  #isClosing = false;
  #onReady: (place: Place) => void = () => {};
  #onEnd = () => {};
  #fail: (error: Error) => void = () => {};

  /** @param ticks monotonic clock in milliseconds */
  constructor(options: ServerOptions, setup: ClusterSetup, ticks: () => number) {
    const { rateLimit: limit, rateWindow: window, workers } = withDefaults(options);
    this.#options = options;
    this.#setup = setup;
    this.#size = workers;
    this.#tls = options.tls;
    this.#ticks = ticks;
    this.#startedAt = ticks();
    this.#count = createSharedCount({ limit, window, workers }, ticks);
    this.failure = new Promise((_resolve, reject) => {
      this.#fail = reject;
    });
    // Callers that await it get the error too.
    this.failure.catch(() => {});
  }

  /** Resolves to where the workers serve, once all are ready. @throws Error as `failure` does */
  start(): Promise<Place> {
    const ready = new Promise<Place>((resolve) => {
      this.#onReady = (place) =>
        [...this.#workers].filter(({ isReady }) => isReady).length === this.#size && resolve(place);
    });
    for (let count = 0; count < this.#size; count++) this.#startWorker();
    return Promise.race([ready, this.failure]);
  }

  /** Uses these credentials for new connections, also of workers that are started later. */
  renewTls(tls: TlsCredentials): void {
    this.#tls = tls;
    for (const worker of this.#workers) worker.post({ kind: "tls", tls });
  }

  /**
   * Lets the workers answer open requests, and resolves once they have ended.
   *
   * @param graceMs time for that
   */
  async drain(graceMs: number): Promise<void> {
    this.#isClosing = true;
    for (const worker of this.#workers) worker.post({ kind: "drain" });
    const timer = setTimeout(() => this.kill(), graceMs);
    await new Promise<void>((resolve) => {
      this.#onEnd = () => this.#workers.size === 0 && resolve();
      this.#onEnd();
    });
    clearTimeout(timer);
  }

  reload(): void {
    for (const worker of this.#workers) worker.post({ kind: "reload" });
  }

  kill(): void {
    this.#isClosing = true;
    for (const worker of this.#workers) worker.kill();
  }

  #startWorker(): void {
    if (this.#isClosing) return;
    const { process, onErrorLine } = this.#setup;
    try {
      const worker: WorkerLink = new WorkerLink(process, {
        onMessage: (message) => {
          if (message.kind === "hello") this.#welcome(worker);
          else this.#receive(worker, message);
        },
        onErrorLine,
        onEnd: (reason) => this.#remove(worker, reason),
      });
      this.#workers.add(worker);
    } catch (error) {
      // The system has no memory or no more processes, for example.
      this.#replace((error as Error).message);
    }
  }

  #welcome(worker: WorkerLink): void {
    const { data, auditFile, workerMetrics } = this.#setup;
    const { rateLimitStore, onRequest, fd } = this.#options;
    const defaults = withDefaults(this.#options);
    const maxConnections = Math.ceil(defaults.maxConnections / this.#size);
    const options = { ...defaults, maxConnections, rateLimitStore, fd, tls: this.#tls };
    const uptime = this.#ticks() - this.#startedAt;
    const reports = {
      reportsRequests: onRequest !== undefined,
      hasMetrics: workerMetrics !== undefined,
    };
    worker.post({ kind: "start", data, options, auditFile, uptime, ...reports });
    workerMetrics?.add(worker, () => worker.post({ kind: "collect" }));
  }

  #receive(worker: WorkerLink, message: ToPrimary): void {
    const { onConnectionsRefused, onInternalError } = this.#options;
    const { onAuditProblem, workerMetrics: metrics } = this.#setup;
    if (message.kind === "count") worker.post(this.#count(message));
    else if (message.kind === "metrics") metrics?.receive(worker, message.metrics);
    else if (message.kind === "refused") onConnectionsRefused?.(message.count);
    else if (message.kind === "internal-error") onInternalError?.(message.message);
    else if (message.kind === "audit-problem") onAuditProblem(message.state);
    else if (message.kind === "rate-limit-store") this.#reportStore(worker, message.problem);
    else if (message.kind === "requests") this.#report(message);
    else if (message.kind === "not-listening")
      this.#fail(Object.assign(new Error(message.message), message));
    else if (message.kind === "ready") {
      worker.isReady = true;
      this.#failedStarts = 0;
      this.#onReady(message);
    }
  }

  #reportStore(worker: WorkerLink, problem: StoreProblem | undefined): void {
    this.#storeProblems.set(worker, problem);
    this.#options.onRateLimitStore?.(
      [...this.#storeProblems.values()].find((each) => each !== undefined),
    );
  }

  #report({ requests, dropped }: Extract<ToPrimary, { kind: "requests" }>): void {
    for (const request of requests) this.#options.onRequest?.(request);
    if (dropped > 0)
      this.#setup.onErrorLine(`requests that are not in this log: ${dropped}; there were too many`);
  }

  #remove(worker: WorkerLink, reason: string): void {
    this.#workers.delete(worker);
    this.#storeProblems.delete(worker);
    this.#setup.workerMetrics?.remove(worker);
    this.#onEnd();
    if (!this.#isClosing) this.#replace(reason, worker);
  }

  /** @param worker undefined if it could not be started at all */
  #replace(reason: string, worker?: WorkerLink): void {
    if (!worker?.isReady) this.#failedStarts++;
    if (this.#failedStarts >= MAX_FAILED_STARTS) {
      this.#fail(
        new Error(
          `${this.#failedStarts} workers in a row ended before they were ready (${reason})`,
        ),
      );
      return;
    }
    this.#setup.onReplaced(reason);
    const pause = this.#failedStarts === 0 ? 0 : MIN_PAUSE_MS * 2 ** this.#failedStarts;
    setTimeout(() => this.#startWorker(), pause);
  }
}
