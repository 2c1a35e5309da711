import { AppendFile } from "../kit/files/append-file.js";
import type { MetricsJson } from "../metrics/registry.js";
import { AuditLog, type AuditState } from "../server/audit.js";
import type { StoreProblem } from "../server/circuit-breaker.js";
import type { ServedRequest } from "../server/served-request.js";
import {
  type RunningServer,
  type ServerOptions,
  startServer,
  withDefaults,
} from "../server/start-server.js";
import { ServerStatistics } from "../server/statistics.js";
import type { TlsCredentials } from "../server/tls.js";
import { Service } from "../service/service.js";
import type { Reloadable, Store } from "../store/store.js";
import { createWorkerLimiter, type WorkerLimiter } from "./shared-count.js";
import type { Start, ToPrimary, ToWorker } from "./worker-messages.js";

/** A worker's end of the link to the primary. */
export interface PrimaryLink {
  /** @param onSent called once the message has been written */
  send(message: ToPrimary, onSent?: () => void): void;
  /** Closes the link, which ends the process. */
  end(): void;
}

/** Opens the data that a `Start` names, and follows its changes. */
export type OpenData = (data: unknown) => Promise<Store & Reloadable>;

/** Until data that can't be opened is tried again. */
const REOPEN_MS = 1_000;

/** Serves data on the socket of all workers. */
export class Worker {
  readonly #link: PrimaryLink;
  readonly #clock: () => number;
  readonly #ticks: () => number;
  readonly #open: OpenData;
  readonly #report: RequestReport;
  #store: (Store & Reloadable) | undefined;
  #isDraining = false;
  #tls: TlsCredentials | undefined;
  #limiter: WorkerLimiter | undefined;
  #server: Promise<RunningServer> | undefined;
  #auditLog: AuditLog | undefined;
  #metrics: Promise<() => Promise<MetricsJson>> | undefined;

  /** @param clock Unix time in milliseconds @param ticks monotonic clock in milliseconds */
  constructor(
    link: PrimaryLink,
    open: OpenData,
    clock: () => number,
    ticks = () => performance.now(),
  ) {
    this.#link = link;
    this.#clock = clock;
    this.#ticks = ticks;
    this.#open = open;
    this.#report = new RequestReport(link);
    link.send({ kind: "hello" });
  }

  /** Takes a message from the primary. */
  async receive(message: ToWorker): Promise<void> {
    switch (message.kind) {
      case "start":
        await this.#serve(message);
        break;
      case "counted":
        this.#limiter?.receive(message);
        break;
      case "tls":
        this.#tls = message.tls;
        await (await this.#server)?.renewTls(message.tls);
        break;
      case "collect":
        await this.#sendMetrics();
        break;
      case "reload":
        this.#store?.readAgain();
        this.#auditLog?.reopen();
        break;
      case "drain":
        this.#isDraining = true;
        await (await this.#server)?.close();
        this.#auditLog?.close();
        await this.#store?.close();
        this.#report.flush(() => this.#link.end());
    }
  }

  /** Opens the data, serves it, and says so. */
  async #serve(start: Start): Promise<void> {
    const { options, auditFile, uptime, reportsRequests, hasMetrics } = start;
    const [link, clock, ticks] = [this.#link, this.#clock, this.#ticks];
    const startedAt = ticks() - uptime;
    const limiter = createWorkerLimiter(withDefaults(options).rateLimit, ticks, (request) =>
      link.send(request),
    );
    const statistics = hasMetrics ? new ServerStatistics() : undefined;
    this.#limiter = limiter;
    this.#metrics = statistics && prepareMetrics(statistics, options.rateLimitStore !== undefined);
    this.#tls = options.tls;
    if (auditFile) {
      const onProblem = (state: AuditState) => link.send({ kind: "audit-problem", state });
      const file = new AppendFile(auditFile.path, auditFile.account);
      this.#auditLog = new AuditLog(file, { clock, ticks, onProblem });
      // Now, while there are descriptors left.
      this.#auditLog.reopen();
    }
    const store = await this.#openData(start.data);
    if (!store || this.#isDraining) return;
    const hooks = {
      ...problemHooks(link),
      ...(reportsRequests && { onRequest: this.#report.add }),
    };
    const parts = { statistics, limiter, audit: this.#auditLog, tls: this.#tls };
    const service = new Service(store, clock, ticks, startedAt);
    this.#server = startServer(service, { ...options, ...hooks, ...parts }, clock, ticks);
    try {
      const { url, port } = await this.#server;
      link.send({ kind: "ready", url, port });
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      link.send({ kind: "not-listening", message, code });
    }
  }

  /**
   * Tries until it succeeds: the primary, which has the data too, reports the problem. Undefined if
   * drained before.
   */
  async #openData(data: unknown): Promise<(Store & Reloadable) | undefined> {
    while (!this.#isDraining && !this.#store) {
      this.#store = await this.#open(data).catch(() => undefined);
      if (!this.#store) await new Promise((resolve) => setTimeout(resolve, REOPEN_MS));
    }
    return this.#store;
  }

  async #sendMetrics(): Promise<void> {
    const collect = await this.#metrics;
    if (collect) this.#link.send({ kind: "metrics", metrics: await collect() });
  }
}

async function prepareMetrics(
  statistics: ServerStatistics,
  hasRateLimitStore: boolean,
): Promise<() => Promise<MetricsJson>> {
  const { addRateLimitStoreMetric, addServerMetrics, createRegistry } = await import(
    "../metrics/registry.js"
  );
  const registry = createRegistry();
  addServerMetrics(registry, statistics);
  if (hasRateLimitStore) addRateLimitStoreMetric(registry, statistics);
  return () => registry.getMetricsAsJSON();
}

/** They let the primary write the log. */
function problemHooks(link: PrimaryLink) {
  return {
    onInternalError: (error: unknown) =>
      link.send({
        kind: "internal-error",
        message: String(error instanceof Error ? error.stack : error),
      }),
    onConnectionsRefused: (count: number) => link.send({ kind: "refused", count }),
    onRateLimitStore: (problem: StoreProblem | undefined) =>
      link.send({ kind: "rate-limit-store", problem }),
  } satisfies ServerOptions;
}

/**
 * Requests that may wait to be reported. More would fill the memory while the primary is busy, and
 * is dropped.
 */
const MAX_WAITING = 10_000;

/** Reports requests to the primary, many in one message. */
class RequestReport {
  readonly #link: PrimaryLink;
  #waiting: ServedRequest[] = [];
  #dropped = 0;
  #isSending = false;

  constructor(link: PrimaryLink) {
    this.#link = link;
  }

  readonly add = (request: ServedRequest): void => {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(request);
    else this.#dropped++;
    if (!this.#isSending) setImmediate(this.#send);
    this.#isSending = true;
  };

  /**
   * Sends the waiting messages.
   *
   * @param onSent called when this, and everything before it, has been written
   */
  flush(onSent: () => void): void {
    const [requests, dropped] = [this.#waiting, this.#dropped];
    [this.#waiting, this.#dropped] = [[], 0];
    this.#link.send({ kind: "requests", requests, dropped }, onSent);
  }

  readonly #send = (): void => {
    this.#isSending = this.#waiting.length > 0;
    if (this.#isSending) this.flush(this.#send);
  };
}
