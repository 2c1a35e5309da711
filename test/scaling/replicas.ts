import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { openServedEtcdStore, type StoreAccess } from "../../src/etcd/open-store.js";
import { startServer } from "../../src/server/start-server.js";
import { Service } from "../../src/service/service.js";
import { Connection, requestText } from "../support/connection.js";
import { grouped } from "../support/measuring.js";
import { signByHand } from "../support/sign-by-hand.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { counterName, KEY, SECRET } from "./counters.js";

export const REPLICAS = 3;
export const READ_EVERY_MS = 5;

/** A server on a free port, stopped when the current test ends. */
export async function startReplica(access: StoreAccess): Promise<{ port: number }> {
  const cacheFolder = await temporaryFolder();
  const onSnapshotFailure = (error: unknown) => expect.fail(String(error));
  const options = { clock: Date.now, cacheFolder, user: process.getuid?.(), onSnapshotFailure };
  const store = await openServedEtcdStore(access, options);
  onTestFinished(() => store.close());
  const server = await startServer(new Service(store, Date.now), { port: 0, rateLimit: 0 }, Date.now);
  onTestFinished(() => server.close());
  return server;
}

/** Reads a counter from a replica by one signed request after another, until the current test ends. */
export class Reader {
  /** Those of all answers; 0 stands for none. */
  readonly statuses: number[] = [];
  readonly #reading: Promise<void>;
  #count = Number.NaN;
  #slowest = 0;
  #isOver = false;
  #waiting: { count: number; resolve: () => void } | undefined;

  /** @param pauseMs between two reads, in milliseconds */
  constructor(port: number, index: number, pauseMs: number) {
    this.#reading = this.#read(port, `/v1/variables-values-by-name/${counterName(index)}`, pauseMs);
    onTestFinished(() => this.stop());
  }

  /** How long the slowest answer took, in milliseconds. */
  get slowest(): number {
    return this.#slowest;
  }

  /** Resolves once the counter is at least that. For one caller at a time. */
  reaches(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = { count, resolve };
      this.#tell();
    });
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#reading;
  }

  async #read(port: number, route: string, pauseMs: number): Promise<void> {
    let connection = new Connection(port);
    while (!this.#isOver) {
      if (!connection.isOpen) connection = new Connection(port);
      const headers = [
        ["x-api-key", KEY],
        ["Authorization", signByHand({ secret: SECRET, route })],
      ] as const;
      const start = performance.now();
      const answer = await connection.ask(requestText("GET", route, headers));
      this.#slowest = Math.max(this.#slowest, performance.now() - start);
      this.statuses.push(answer?.status ?? 0);
      if (answer?.status === 200) {
        this.#count = Number(/"value":(\d+)/.exec(answer.body)?.[1]);
        this.#tell();
      }
      await delay(pauseMs);
    }
    connection.close();
  }

  #tell(): void {
    if (!this.#waiting || !(this.#count >= this.#waiting.count)) return;
    this.#waiting.resolve();
    this.#waiting = undefined;
  }
}

export function areAllGood({ statuses }: Reader): boolean {
  return statuses.every((status) => status === 200);
}

export function readsText(readers: readonly Reader[]): string {
  const statuses = readers.flatMap((reader) => reader.statuses);
  const good = statuses.filter((status) => status === 200).length;
  const slowest = Math.max(...readers.map((reader) => reader.slowest));
  return `${grouped(good)} of ${grouped(statuses.length)} reads 200, slowest ${Math.round(slowest)} ms`;
}

/** `1500` -> `1.5 s` */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}
