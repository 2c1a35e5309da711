import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { Connection, requestText } from "../support/connection.js";
import { cpuSeconds } from "../support/cpu-time.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { DEV_HEADERS } from "../support/http.js";
import { QUICK } from "../support/measuring.js";
import { quantile, report } from "../support/report.js";
import { serveProcess } from "../support/serve-process.js";

const SECONDS = QUICK ? 1 : 8;
const CONNECTIONS = 10;
const BYTES_PER_SECOND = 6_000_000;
const TICK_MS = 10;
/** The limit of a client's unsent bytes: a server that does not read makes it wait. */
const MAX_WAITING_BYTES = 1_000_000;

const HONEST = requestText(
  "GET",
  "/v1/variables-values-by-name/PORT/content",
  Object.entries(DEV_HEADERS),
);
const HONEST_REST_MS = 20;
const MAX_WAIT_MS = 500;

interface Flood {
  /** The bytes that each connection sends once, and those that it then repeats. */
  readonly first: string;
  readonly again: string;
  /** Over all connections. Default 6 MB. */
  readonly bytesPerSecond?: number;
  /** The CPU time that it may cause, in seconds per MB. */
  readonly bound: number;
}

const HEAD = "GET /v1/variables HTTP/1.1\r\nHost: a\r\n";
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
const FLOODS: Record<string, Flood> = {
  "tiny chunks": { first: CHUNKED, again: "1\r\nx\r\n", bound: 0.05 },
  trailers: { first: `${CHUNKED}0\r\n`, again: "a: b\r\n", bound: 0.05 },
  "chunk extensions": { first: CHUNKED, again: "1;a=b\r\nx\r\n", bound: 0.05 },
  // As many as can be answered: beyond that, bytes wait in the buffers of the system and cost
  // nothing.
  "pipelined 401s": { first: "", again: `${HEAD}\r\n`, bytesPerSecond: 300_000, bound: 3 },
  // A byte of each connection every 10 ms.
  "dripping headers": { first: HEAD, again: "x: y\r\n", bytesPerSecond: 1_000, bound: 200 },
};

/** Sends a flood over some connections, each of which is made again as soon as it is closed. */
class Attacker {
  readonly #port: number;
  readonly #flood: Flood;
  readonly #allowHalfOpen: boolean;
  readonly #sockets = new Set<Socket>();
  readonly #timer: NodeJS.Timeout;
  #sentBytes = 0;

  /**
   * @param allowHalfOpen whether to go on after the server has ended its side, until it resets the
   *   connection
   */
  constructor(port: number, flood: Flood, allowHalfOpen: boolean) {
    this.#port = port;
    this.#flood = flood;
    this.#allowHalfOpen = allowHalfOpen;
    for (let count = 0; count < CONNECTIONS; count++) this.#open();
    const { again, bytesPerSecond = BYTES_PER_SECOND } = flood;
    const size = (bytesPerSecond / CONNECTIONS / 1_000) * TICK_MS;
    const text = again.repeat(2 + size / again.length);
    let start = 0;
    this.#timer = setInterval(() => {
      const piece = text.slice(start, start + size);
      start = (start + size) % again.length;
      for (const socket of this.#sockets)
        if (socket.writableLength < MAX_WAITING_BYTES) socket.write(piece);
    }, TICK_MS);
    onTestFinished(() => this.stop());
  }

  /** Bytes that the system has taken so far, in millions. */
  get sentMb(): number {
    return (
      [...this.#sockets].reduce((sum, socket) => sum + sentBy(socket), this.#sentBytes) / 1_000_000
    );
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.removeAllListeners("close").destroy();
    this.#sockets.clear();
  }

  #open(): void {
    const socket = connect({
      host: "127.0.0.1",
      port: this.#port,
      noDelay: true,
      allowHalfOpen: this.#allowHalfOpen,
    });
    this.#sockets.add(socket);
    socket.on("error", () => {}).resume();
    socket.write(this.#flood.first);
    socket.on("close", () => {
      this.#sentBytes += sentBy(socket);
      this.#sockets.delete(socket);
      this.#open();
    });
  }
}

function sentBy({ bytesWritten, writableLength }: Socket): number {
  return bytesWritten - writableLength;
}

async function serve() {
  const { path } = await dataFile(DATA);
  return serveProcess(["--data", path, "--rate-limit", "0"]);
}

it.each(Object.entries(FLOODS))(
  "requests without a key cost little CPU time: %s",
  async (name, flood) => {
    const { port, pid } = await serve();
    const attacker = new Attacker(port, flood, true);
    // To warm up.
    await delay(SECONDS * 250);
    const [usedBefore, sentBefore] = [cpuSeconds(pid), attacker.sentMb];
    await delay(SECONDS * 1_000);
    const [used, sent] = [cpuSeconds(pid) - usedBefore, attacker.sentMb - sentBefore];
    report(
      `CPU time without a key: ${name}`,
      `${CONNECTIONS} connections, each made again when it is closed; ${sent.toPrecision(2)} MB in ${SECONDS} s`,
      `${(used / sent).toPrecision(2)} s per MB`,
    );
    expect(sent).toBeGreaterThan(0);
    expect(used / sent).toBeLessThan(flood.bound);
  },
);

/** The times to answer a client that rests between its requests, in milliseconds. */
async function askHonestly(port: number): Promise<number[]> {
  const connection = new Connection(port);
  const end = performance.now() + SECONDS * 1_000;
  const times: number[] = [];
  while (performance.now() < end) {
    const start = performance.now();
    expect((await connection.ask(HONEST))?.body).toBe('{"value":3000}');
    times.push(performance.now() - start);
    await delay(HONEST_REST_MS);
  }
  connection.close();
  return times;
}

it.each([
  ["until they are cut off", true],
  ["and connect again as soon as they are answered", false],
])(
  "tiny chunks without a key %s don't keep others from being answered",
  async (how, allowHalfOpen) => {
    const { port } = await serve();
    const alone = await askHonestly(port);
    const attacker = new Attacker(port, FLOODS["tiny chunks"] as Flood, allowHalfOpen);
    const beside = await askHonestly(port);
    attacker.stop();
    const longest = Math.max(...beside);
    report(
      `Tiny chunks without a key, ${how}`,
      `${CONNECTIONS} connections, ${BYTES_PER_SECOND / 1_000_000} MB/s together, beside a client that rests for ${HONEST_REST_MS} ms`,
      `${beside.length} answers to the client, ${alone.length} without them; median ${quantile(beside, 0.5).toFixed(1)} ms, longest ${longest.toFixed(0)} ms`,
    );
    // Node parses up to 64 KiB of each of the bodies.
    expect(beside.length).toBeGreaterThanOrEqual(alone.length / 3);
    expect(longest).toBeLessThan(MAX_WAIT_MS);
  },
);
