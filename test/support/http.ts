import { once } from "node:events";
import {
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  /** The parsed body, undefined if it is empty. A body that is not JSON fails the test. */
  json: unknown;
}

type Listener = { readonly port: number };

/** A list sends the header once per item. */
export type Headers = Record<string, string | string[]>;

/** Key and secret of the environment shop/development. */
export const DEV_HEADERS = { "x-api-key": "dev-key", "x-api-secret": "dev-secret" };

/** Sends one request on a new connection. `options` are passed to node:http. */
export async function request(
  { port }: Listener,
  method: string,
  target: string,
  headers: Headers = {},
  options: RequestOptions = {},
): Promise<Answer> {
  const common = { host: "127.0.0.1", port, method, path: target, agent: false };
  const outgoing = httpRequest({ ...common, headers: headers as OutgoingHttpHeaders, ...options });
  outgoing.end();
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  const body = await text(incoming);
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    body,
    json: parseBody(body),
  };
}

/** GET, as shop/development unless other headers are given. */
export function get(
  server: Listener,
  target: string,
  headers: Headers = DEV_HEADERS,
): Promise<Answer> {
  return request(server, "GET", target, headers);
}

/**
 * Sends these bytes and resolves to the one answer that came before the server closed the
 * connection.
 */
export async function raw({ port }: Listener, bytes: string | Buffer): Promise<Answer> {
  const socket = await openSocket({ port });
  socket.write(bytes);
  return parseAnswer(await receivedUntilClose(socket));
}

export async function openSocket({ port }: Listener): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port });
  await once(socket, "connect");
  return socket;
}

/** Everything that the socket receives from now until it is closed. */
export async function receivedUntilClose(socket: Socket): Promise<string> {
  let received = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    received += chunk;
  });
  // The server may also close by a reset after the answer.
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("close", resolve));
  return received;
}

/** The next answer on a connection that stays open. Short enough to arrive in one piece. */
export async function nextAnswer(socket: Socket): Promise<Answer> {
  const [bytes] = (await once(socket, "data")) as [Buffer];
  return parseAnswer(bytes.toString());
}

/** Reads exactly one HTTP answer: bytes after its body fail the test as invalid JSON. */
function parseAnswer(received: string): Answer {
  const [head = "", ...rest] = received.split("\r\n\r\n");
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = Object.fromEntries(lines.map((line) => splitHeader(line)));
  const body = rest.join("\r\n\r\n");
  return { status: Number(statusLine.split(" ")[1]), headers, body, json: parseBody(body) };
}

function splitHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

function parseBody(body: string): unknown {
  return body === "" ? undefined : JSON.parse(body);
}
