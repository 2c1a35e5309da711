import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { onTestFinished } from "vitest";

/**
 * An HTTP proxy for which every name is that of this machine. Closed when the current test ends.
 */
export interface HttpProxyServer {
  port: number;
  /** `METHOD target` of each request. */
  requests: string[];
  /** `Proxy-Authorization` of each request. */
  credentials: (string | undefined)[];
  /** All its connections from clients so far. */
  sockets: Socket[];
  /** With TLS: whether each client has presented a certificate. */
  certified: boolean[];
}

interface ProxyOptions {
  /** If given, the proxy itself speaks TLS. */
  tls?: ServerOptions;
  /** Answers a request in place of the server; `false` for the server to do so. */
  answer?: (socket: Socket) => unknown;
}

export async function httpProxy({ tls, answer }: ProxyOptions = {}): Promise<HttpProxyServer> {
  const server = tls ? createTlsServer(tls) : createServer();
  const found: HttpProxyServer = {
    port: 0,
    requests: [],
    credentials: [],
    sockets: [],
    certified: [],
  };
  const open = new Set<Socket>();
  const track = (socket: Socket) =>
    open.add(socket.on("error", () => {}).on("close", () => open.delete(socket)));
  const note = ({ method, url, headers }: IncomingMessage) => {
    found.requests.push(`${method} ${url}`);
    found.credentials.push(headers["proxy-authorization"]);
  };
  server.on("connection", (socket: Socket) => {
    found.sockets.push(socket);
    track(socket);
  });
  server.on("secureConnection", (socket: TLSSocket) => {
    found.certified.push(Object.keys(socket.getPeerCertificate()).length > 0);
  });
  server.on("connect", (incoming: IncomingMessage, near: Socket) => {
    note(incoming);
    track(near);
    // Otherwise it would stay half open after the client has closed it.
    near.on("end", () => near.end());
    if (answer) return void answer(near.resume());
    const far = connect(Number(incoming.url?.split(":").at(-1)), "127.0.0.1");
    track(far);
    far.once("connect", () => {
      near.write("HTTP/1.1 200 Connection established\r\n\r\n");
      near.pipe(far).pipe(near);
    });
    far.on("close", () => near.destroy());
    near.on("close", () => far.destroy());
  });
  server.on("request", (incoming, outgoing) => {
    note(incoming);
    if (answer) return void answer(incoming.socket);
    const { port, pathname, search } = new URL(incoming.url ?? "");
    const { "proxy-authorization": _, ...headers } = incoming.headers;
    const forwarded = request(
      { agent: false, host: "127.0.0.1", port, path: pathname + search, headers },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 0, response.headers);
        response.pipe(outgoing);
      },
    );
    forwarded.on("error", () => outgoing.writeHead(502).end());
    forwarded.end();
  });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  found.port = (server.address() as AddressInfo).port;
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return found;
}
