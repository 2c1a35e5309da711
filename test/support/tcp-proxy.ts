import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { freePorts } from "./backing-process.js";

/** A link to a server on loopback that can fail. Closed when the current test ends. */
export async function tcpProxy(target: number): Promise<TcpProxy> {
  const proxy = new TcpProxy(target);
  // Not one of the system's choice: outgoing connections could get that while the link is cut.
  const [port = 0] = await freePorts(1);
  await proxy.listen(port);
  onTestFinished(() => proxy.cut());
  return proxy;
}

class TcpProxy {
  port = 0;
  readonly #target: number;
  /** Undefined while the link is cut. */
  #server: Server | undefined;
  #isBlackhole = false;
  readonly #pairs = new Set<readonly [Socket, Socket]>();

  constructor(target: number) {
    this.#target = target;
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#pairs.size;
  }

  /** Resets all connections, and refuses new ones. */
  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#isBlackhole = false;
    const closed = server && once(server, "close");
    server?.close();
    for (const socket of [...this.#pairs].flat()) socket.resetAndDestroy();
    await closed;
  }

  /**
   * Keeps all connections and accepts new ones, but forwards nothing, not even that one side has
   * closed.
   */
  blackhole(): void {
    this.#isBlackhole = true;
    for (const [near, far] of this.#pairs) {
      near.unpipe(far).pause();
      far.unpipe(near).pause();
    }
  }

  /**
   * Ends either. After a black hole, the bytes sent meanwhile arrive, as they would by
   * retransmission.
   */
  async heal(): Promise<void> {
    this.#isBlackhole = false;
    for (const [near, far] of this.#pairs) join(near, far);
    if (!this.#server) await this.listen(this.port);
  }

  async listen(port: number): Promise<void> {
    const server = createServer((near) => this.#accept(near)).listen(port, "127.0.0.1");
    await once(server, "listening");
    this.#server = server;
    this.port = port;
  }

  #accept(near: Socket): void {
    const far = connect({ host: "127.0.0.1", port: this.#target, noDelay: true });
    near.setNoDelay();
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    for (const socket of pair) {
      socket.on("error", () => {});
      socket.on("close", (hadError) => {
        if (hadError && !this.#isBlackhole) join(near, far);
        if (near.destroyed && far.destroyed) this.#pairs.delete(pair);
      });
    }
    if (this.#isBlackhole) near.pause();
    else join(near, far);
  }
}

/** Forwards the bytes and the end of each side. Where one side is gone, the other is reset. */
function join(near: Socket, far: Socket): void {
  if (near.destroyed || far.destroyed) {
    near.resetAndDestroy();
    far.resetAndDestroy();
  } else {
    near.pipe(far);
    far.pipe(near);
  }
}
