import { connect, type Socket } from "node:net";

/** An answer as it was sent. */
export interface RawAnswer {
  readonly status: number;
  /** The status line and the headers. */
  readonly head: string;
  readonly body: string;
}

/** The answer that a text begins with, and the rest; undefined until it is complete. */
export function takeAnswer(
  text: string,
  isHead = false,
): { answer: RawAnswer; rest: string } | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const length = isHead ? 0 : Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
  const bodyEnd = end + 4 + length;
  if (text.length < bodyEnd) return undefined;
  const answer = { status: Number(head.slice(9, 12)), head, body: text.slice(end + 4, bodyEnd) };
  return { answer, rest: text.slice(bodyEnd) };
}

/** A connection that sends any bytes as requests, one at a time. */
export class Connection {
  readonly socket: Socket;
  #received = "";
  #settle: ((answer: RawAnswer | undefined) => void) | undefined;
  #isHead = false;

  constructor(port: number) {
    this.socket = connect({ host: "127.0.0.1", port, noDelay: true });
    // Latin-1, since lengths are in bytes.
    this.socket.setEncoding("latin1").on("data", (text: unknown) => this.#receive(text as string));
    this.socket.on("error", () => {});
    this.socket.on("close", () => this.#settle?.(undefined));
  }

  get isOpen(): boolean {
    return !this.socket.destroyed && !this.socket.readableEnded;
  }

  /** @returns undefined if the connection ends without an answer */
  ask(bytes: string | Buffer, isHead = false): Promise<RawAnswer | undefined> {
    this.#isHead = isHead;
    return new Promise((resolve) => {
      this.#settle = resolve;
      if (!this.isOpen) return resolve(undefined);
      this.socket.write(bytes, "latin1");
    });
  }

  close(): void {
    this.socket.destroy();
  }

  #receive(text: string): void {
    this.#received += text;
    const taken = takeAnswer(this.#received, this.#isHead);
    if (!taken) return;
    this.#received = taken.rest;
    // A client that goes on after this would find the connection closed.
    if (/^connection: close$/im.test(taken.answer.head)) this.close();
    this.#settle?.(taken.answer);
  }
}

/** A request. Other properties identify it when it is answered. */
export interface Attempt {
  readonly bytes: string | Buffer;
  readonly isHead?: boolean;
}

/**
 * Sends all requests over some connections, each of which is replaced when the server closes it.
 *
 * @param visit called with each answer; undefined if the connection ended without one
 */
export async function askAll<T extends Attempt>(
  port: number,
  attempts: Iterable<T>,
  visit: (answer: RawAnswer | undefined, attempt: T) => void,
  connections = 16,
): Promise<void> {
  const queue = attempts[Symbol.iterator]();
  const work = async () => {
    let connection = new Connection(port);
    for (let next = queue.next(); !next.done; next = queue.next()) {
      if (!connection.isOpen) connection = new Connection(port);
      visit(await connection.ask(next.value.bytes, next.value.isHead), next.value);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, work));
}

/** The text of a request. A list of pairs, since some are sent twice. */
export function requestText(
  method: string,
  target: string,
  headers: readonly (readonly [string, string])[],
): string {
  const lines = [["Host", "a"], ...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
