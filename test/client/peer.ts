import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from "node:net";
import { onTestFinished } from "vitest";

/** A server for a client, closed when the current test ends. */
export interface Peer {
  url: URL;
  port: number;
  /** All its connections so far. */
  sockets: Socket[];
}

/** An HTTP server on a free port. */
export function httpPeer(listener: RequestListener): Promise<Peer> {
  return listening(createServer(listener), "http");
}

/** A server that answers each connection's first bytes with the output of `answer`. */
export function tcpPeer(answer: (socket: Socket) => void): Promise<Peer> {
  const server = createTcpServer((socket) => socket.once("data", () => answer(socket)));
  return listening(server, "http");
}

export async function listening(server: Server, scheme: "http" | "https"): Promise<Peer> {
  const sockets: Socket[] = [];
  server.on("connection", (socket: Socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`${scheme}://127.0.0.1:${port}`), port, sockets };
}

/** A port that nothing listens on. */
export async function unusedPort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
