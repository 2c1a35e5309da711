import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ServerOptions } from "../../../src/server/start-server.js";
import { Connections } from "../../../src/server/wire/connections.js";
import { createListener, listen } from "../../../src/server/wire/listener.js";
import { sendReply } from "../../../src/server/wire/replies.js";
import { DEV_HEADERS, openSocket, receivedUntilClose } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";
import { stubbedServer } from "../../support/stubbed-server.js";

const MIB = 1_024 * 1_024;
const KEYS = Object.entries(DEV_HEADERS).map(([name, value]) => `${name}: ${value}`);
const CHUNKED = "Transfer-Encoding: chunked";

function requestOf(line: string, ...headers: string[]): string {
  return [`${line} HTTP/1.1`, "Host: a", ...headers, "", ""].join("\r\n");
}

/** The status and the `Connection` header of each answer. */
function outcomes(received: string): string[] {
  const heads = received.match(/HTTP\/1\.1 \d+.*\r\n(?:.+\r\n)*/g) ?? [];
  return heads.map((head) => `${head.slice(9, 12)} ${/^Connection: (.*)\r$/m.exec(head)?.[1]}`);
}

/** A server's answers to these bytes, once it has closed the connection. */
async function answersTo(bytes: string, options: ServerOptions = {}): Promise<string[]> {
  const socket = await openSocket(await runningServer(options));
  const received = receivedUntilClose(socket);
  socket.write(bytes);
  return outcomes(await received);
}

/** A server that answers with this text, and its side of the first connection. */
async function answering(answer: string) {
  const server = await createListener();
  const connections = new Connections(server, {
    maxConnections: 0,
    onConnectionsRefused: () => {},
  });
  server.on(
    "request",
    connections.oneAtATime((req, res) =>
      sendReply(Object.assign(req, { replyHeaders: [] }), res, {
        status: 200,
        headers: [],
        body: answer,
      }),
    ),
  );
  onTestFinished(() => connections.close(0));
  const accepted = once(server, "connection").then(([socket]) => socket as Socket);
  return { port: (await listen(server, { host: "127.0.0.1", port: 0 })).port, accepted, server };
}

describe("a request that announces a body ends its connection:", () => {
  it.each([
    ["200", requestOf("GET /v1/variables/1", ...KEYS, CHUNKED)],
    ["200", requestOf("HEAD /v1/variables/1", ...KEYS, "Content-Length: 2")],
    ["200", requestOf("GET /healthz", "Content-Length: 2")],
    ["200", requestOf("GET /healthz", "Content-Length: 2", "Connection: Upgrade", "Upgrade: h2c")],
    ["401", requestOf("GET /v1/variables", CHUNKED)],
    ["404", requestOf("POST /nothing", "Content-Length: 99999999999")],
    ["405", requestOf("POST /healthz", CHUNKED)],
    ["405", requestOf("CONNECT evil:443", CHUNKED)],
    ["400", requestOf("GET /%", CHUNKED)],
    ["400", requestOf("GET /healthz", CHUNKED, "Content-Length: 5")],
  ])("a body after a request that is answered %s: %j", async (status, head) => {
    expect(await answersTo(head)).toEqual([`${status} close`]);
  });

  it("a body after a request that is answered 429", async () => {
    const bytes = requestOf("GET /healthz") + requestOf("GET /healthz", CHUNKED);
    expect(await answersTo(bytes, { rateLimit: 1 })).toEqual(["200 keep-alive", "429 close"]);
  });

  it("a client that waits for 100 Continue is not asked for its body", async () => {
    const bytes = requestOf("GET /healthz", "Expect: 100-continue", "Content-Length: 2");
    expect(await answersTo(bytes)).toEqual(["200 close"]);
  });

  it.each(["1\r\nx\r\n0\r\n\r\n", "no chunk\r\n\r\n", "\r\n\r\n", ""])(
    "requests before it are answered, and later bytes are ignored: %j",
    async (body) => {
      const health = requestOf("GET /healthz");
      const bytes = `${health}${health}${requestOf("GET /v1", CHUNKED)}${body}${health.repeat(90)}`;
      expect(await answersTo(bytes)).toEqual(["200 keep-alive", "200 keep-alive", "401 close"]);
    },
  );

  it("a length of 0 announces no body", async () => {
    const bytes = requestOf("GET /healthz", "Content-Length: 0") + requestOf("GET /v1", CHUNKED);
    expect(await answersTo(bytes)).toEqual(["200 keep-alive", "401 close"]);
  });
});

describe.each(["\r\n\r\n", "\n\r\n", "\r\n", "\n", ""])(
  "a body that arrives with the end %j of the headers",
  (end) => {
    it("no more than one read of it is parsed, and little is read before the connection is reset", {
      timeout: 8_000,
    }, async () => {
      const { port, accepted, server } = await answering("answer");
      let pushed = 0;
      server.on("request", (req) => {
        const push = req.push.bind(req);
        req.push = (chunk: unknown) => {
          pushed++;
          return push(chunk);
        };
      });
      const socket = connect({ host: "127.0.0.1", port, noDelay: true, allowHalfOpen: true });
      const error = new Promise((resolve) => socket.once("error", resolve));
      const head = requestOf("GET /", CHUNKED);
      socket.write(head.slice(0, head.length - end.length));
      const served = await accepted;
      while (served.bytesRead < head.length - end.length) await new Promise(setImmediate);
      const chunk = "1\r\nx\r\n";
      socket.write(end + chunk.repeat(5 * MIB));
      const [answer] = await once(socket, "data");
      expect(String(answer)).toMatch(
        /^HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: close\r\n\r\nanswer/,
      );
      await error;
      expect(pushed * chunk.length).toBeLessThanOrEqual(MIB / 16);
      // As much as fits into the buffer of the socket.
      expect(served.bytesRead).toBeLessThan(MIB / 4);
    });
  },
);

it("an answer is not cut off for a client that reads slowly, and whose body has arrived after its request", async () => {
  const text = "x".repeat(16 * MIB);
  const { port, accepted } = await answering(text);
  const socket = await openSocket({ port });
  socket.pause();
  const served = await accepted;
  socket.write(requestOf("GET /", "Content-Length: 2"));
  await once(served, "pause");
  socket.write("{}");
  const closed = once(served, "close");
  let received = 0;
  // From then on, the rest of it is in the buffers of the system.
  while (!served.writableFinished) {
    received += (socket.read(64 * 1_024) as Buffer | null)?.length ?? 0;
    await new Promise(setImmediate);
  }
  await closed;
  received += (await receivedUntilClose(socket.resume())).length;
  expect(received).toBeGreaterThan(text.length);
});

it("an answer is not cut off by garbage in the body", async () => {
  const description = "x".repeat(16 * MIB);
  const variable = () => ({ id: 1, type: "STRING", name: "LARGE", description });
  const socket = await openSocket(await stubbedServer({ reads: { variable } }));
  socket.write(`${requestOf("GET /v1/variables/1", ...KEYS, CHUNKED)}nonsense\r\n\r\n`);
  expect((await receivedUntilClose(socket)).length).toBeGreaterThan(description.length);
});
