import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { Connection, requestText } from "../support/connection.js";
import { grouped } from "../support/measuring.js";
import { type ServeProcess, serveProcess } from "../support/serve-process.js";
import { signByHand } from "../support/sign-by-hand.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { counterName, KEY, SECRET } from "./counters.js";

export const REPLICAS = 3;
const READ_EVERY_MS = 5;

interface ReplicaOptions {
  readonly flags?: readonly string[];
  /** For the last data. Default: a new one. */
  readonly cacheFolder?: string;
}

/**
 * `serve` on a free port over the store at a URL, in a process that is stopped when the current
 * test ends.
 */
export async function startReplica(
  url: string,
  { flags = [], cacheFolder }: ReplicaOptions = {},
): Promise<ServeProcess> {
  const env = { XDG_CACHE_HOME: cacheFolder ?? (await temporaryFolder()) };
  const replica = await serveProcess(["--store", url, "--rate-limit", "0", ...flags], { env });
  onTestFinished(async () => {
    expect(await replica.stop()).toBe(0);
    expect(replica.log()).not.toContain("can't be kept");
  });
  return replica;
}

/** Reads a counter of a replica. Closed when the current test ends. */
export class Client {
  readonly #port: number;
  readonly #route: string;
  #connection: Connection;

  constructor(port: number, index: number) {
    this.#port = port;
    this.#route = `/v1/variables-values-by-name/${counterName(index)}`;
    this.#connection = new Connection(port);
    onTestFinished(() => this.#connection.close());
  }

  /**
   * Sends a signed request. The status 0 stands for no answer; without the status 200 there is no
   * count.
   */
  async read(): Promise<{ status: number; count: number | undefined }> {
    if (!this.#connection.isOpen) this.#connection = new Connection(this.#port);
    const route = this.#route;
    const headers = [
      ["x-api-key", KEY],
      ["Authorization", signByHand({ secret: SECRET, route })],
    ] as const;
    const { status = 0, body = "" } =
      (await this.#connection.ask(requestText("GET", route, headers))) ?? {};
    return { status, count: status === 200 ? Number(/"value":(\d+)/.exec(body)?.[1]) : undefined };
  }
}

/** Reads a counter from a replica by one request after another, until the current test ends. */
export class Reader {
  /** Those of all answers; 0 stands for none. */
  readonly statuses: number[] = [];
  readonly #reading: Promise<void>;
  #count = Number.NaN;
  #slowest = 0;
  #isOver = false;
  #waiting: { count: number; resolve: () => void } | undefined;

  constructor(port: number, index: number) {
    this.#reading = this.#read(new Client(port, index));
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

  async #read(client: Client): Promise<void> {
    while (!this.#isOver) {
      const start = performance.now();
      const { status, count } = await client.read();
      this.#slowest = Math.max(this.#slowest, performance.now() - start);
      this.statuses.push(status);
      if (count !== undefined) {
        this.#count = count;
        this.#tell();
      }
      await delay(READ_EVERY_MS);
    }
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

/** `1500` -> `1.5 s`, `15.4` -> `15 ms` */
export function timeText(milliseconds: number): string {
  return milliseconds < 1_000
    ? `${Math.round(milliseconds)} ms`
    : `${(milliseconds / 1_000).toFixed(1)} s`;
}
