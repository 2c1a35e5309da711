import { once } from "node:events";
import { get as httpGet, type IncomingMessage, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setImmediate as nextLoop } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Connections } from "../../../src/server/wire/connections.js";
import { createListener } from "../../../src/server/wire/listener.js";
import { endSoon } from "../../../src/server/wire/replies.js";
import type { TlsCredentials } from "../../../src/server/wire/tls.js";
import {
  DEV_HEADERS,
  get,
  nextAnswer,
  openSocket,
  receivedUntilClose,
} from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";
import { stubbedServer } from "../../support/stubbed-server.js";
import { openTlsSocket, TLS } from "../../support/tls.js";

const HEALTH = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
const LAST = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
const LINES = Object.entries({ Host: "a", ...DEV_HEADERS }).map(
  ([name, value]) => `${name}: ${value}\r\n`,
);
const MIB = 1_024 * 1_024;

function variableRequest(id: number, connection = "keep-alive"): string {
  return `GET /v1/variables/${id} HTTP/1.1\r\n${LINES.join("")}Connection: ${connection}\r\n\r\n`;
}

/**
 * A server whose variables have a description of this length, and the ids that were requested. The
 * kernel buffers of a connection hold at most 10 MiB.
 */
async function serverOfLargeAnswers(length = 12 * MIB) {
  const ids: number[] = [];
  const description = "x".repeat(length);
  const getVariable = (id: number) => {
    ids.push(id);
    return { id, type: "STRING", name: "LARGE", description };
  };
  return { server: await stubbedServer({ reads: { variable: getVariable } }), ids, length };
}

/**
 * Resolves after the server has answered requests on other connections, and so everything that it
 * read before.
 */
async function serverIsIdle(
  server: { port: number },
  open: typeof openSocket = openSocket,
): Promise<void> {
  for (let count = 0; count < 10; count++) {
    const socket = await open(server);
    socket.write(LAST);
    await receivedUntilClose(socket);
  }
}

/**
 * A node:http server that only has the limits on connections. Of the `requests` so far, `handled`
 * went to the listener.
 */
async function bareServer(listener: RequestListener, tls?: TlsCredentials) {
  const server = await createListener(tls);
  const connections = new Connections(server, {
    maxConnections: 0,
    onConnectionsRefused: () => {},
  });
  server.on("connect", ({ socket }) =>
    connections.wait(socket, () => endSoon(socket, "x".repeat(12 * MIB))),
  );
  const bare = { port: 0, requests: [] as IncomingMessage[], handled: 0 };
  server.on("request", (req) => bare.requests.push(req));
  server.on(
    "request",
    connections.oneAtATime((req, res) => {
      bare.handled++;
      listener(req, res);
    }),
  );
  server.listen(0, "127.0.0.1");
  onTestFinished(() => connections.close(0));
  await once(server, "listening");
  bare.port = (server.address() as AddressInfo).port;
  return bare;
}

function fakeTimers(...names: ("setInterval" | "clearInterval")[]): void {
  vi.useFakeTimers({ toFake: names });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

describe("the open requests of one connection", () => {
  it("are all answered in order", async () => {
    const socket = await openSocket(await runningServer());
    const targets = Array.from({ length: 99 }, (_, index) => `/v1/variables/${(index % 6) + 1}`);
    socket.write(
      targets.map((target) => `GET ${target} HTTP/1.1\r\n${LINES.join("")}\r\n`).join("") + LAST,
    );
    const received = await receivedUntilClose(socket);
    expect(received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(100);
    const ids = [...received.matchAll(/^\{"id":(\d+),/gm)].map(([, id]) => `/v1/variables/${id}`);
    expect(ids).toEqual(targets);
  });

  it("number at most one, even if a single read contains more", async () => {
    const server = await bareServer((req, res) => {
      if (req.url === "/healthz") res.end();
    });
    const socket = await openSocket(server);
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100));
    await serverIsIdle(server);
    // The health checks are counted too.
    expect(server.handled - 10).toBe(1);
    socket.destroy();
  });

  it.each([
    ["", () => {}],
    ["Content-Length: 1\r\n\r\nx", ({ socket }: IncomingMessage) => endSoon(socket)],
  ])("end it if more than 100 of a single read would have to wait: %j", async (body, listener) => {
    const server = await bareServer(listener);
    const socket = await openSocket(server);
    const error = once(socket, "error");
    // One read of the server has more than 2,000 of these.
    socket.write(
      `GET / HTTP/1.1\r\n${body || "\r\n"}${"GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(10_000)}`,
    );
    expect(await error).toMatchObject([{ code: "ECONNRESET" }]);
    expect(server.handled).toBe(1);
    expect(server.requests.length).toBeLessThanOrEqual(102);
  });

  it.each([
    { protocol: "HTTP", tls: undefined, open: openSocket },
    { protocol: "HTTPS", tls: TLS, open: openTlsSocket },
  ])(
    "are not read before the earlier ones are answered, but all answered in the end: $protocol",
    async ({ tls, open }) => {
      let release = (): void => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const server = await bareServer(async (req, res) => {
        if (req.url !== "/healthz") await released;
        res.end("{}");
      }, tls);
      const socket = await open(server);
      const request = (connection: string) =>
        `GET / HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\nX: ${"x".repeat(15_000)}\r\n\r\n`;
      const received = receivedUntilClose(socket);
      socket.write(request("keep-alive").repeat(199) + request("close"));
      await serverIsIdle(server, open);
      expect(server.handled - 10).toBe(1);
      // What a single read can contain.
      expect(server.requests.length - 10).toBeLessThanOrEqual(5);
      release();
      expect((await received).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(200);
    },
  );

  it("do not make the server keep the body of one that waits", async () => {
    const server = await bareServer((req, res) => {
      if (req.url === "/healthz") res.end();
    });
    const socket = await openSocket(server);
    const body = "1\r\nx\r\n".repeat(1_000);
    socket.write(
      `GET / HTTP/1.1\r\n\r\nGET /body HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${body}`,
    );
    await serverIsIdle(server);
    expect(server.requests.find(({ url }) => url === "/body")).toMatchObject({ readableLength: 0 });
    socket.destroy();
  });

  const count = async () => {
    await nextLoop();
    return { rateLimit: { limit: 1, remaining: 0, reset: 1 } };
  };
  it.each([
    { requests: 1, how: "HTTP", options: {}, open: openSocket },
    { requests: 10, how: "HTTP", options: {}, open: openSocket },
    { requests: 10, how: "HTTPS", options: { tls: TLS }, open: openTlsSocket },
    {
      requests: 1,
      how: "a slow limiter",
      options: { limiter: { count, isUsedUp: () => false } },
      open: openSocket,
    },
  ])(
    "are all answered if the client ends its side of the connection after them: $requests, $how",
    async ({ options, open, requests }) => {
      const socket = await open(await runningServer(options));
      const received = receivedUntilClose(socket);
      socket.end(HEALTH.repeat(requests));
      expect((await received).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(requests);
    },
  );

  it.each([0, 1])(
    "do not delay the end of a connection that the client ends after %d answers",
    // Both time limits of a connection that sends nothing are 5 s.
    { timeout: 4_000 },
    async (answers) => {
      const socket = await openSocket(await runningServer());
      if (answers > 0) {
        socket.write(HEALTH);
        await nextAnswer(socket);
      }
      const received = receivedUntilClose(socket);
      socket.end();
      expect(await received).toBe("");
    },
  );

  it("have no limit over time: a client that pipelines 10 at a time gets 1,000 answers", async () => {
    const socket = await openSocket(await runningServer());
    let [sent, answered] = [10, 0];
    const all = new Promise<void>((resolve) => {
      socket.on("data", (bytes) => {
        for (const _ of bytes.toString().matchAll(/HTTP\/1\.1 200 OK/g)) {
          answered++;
          if (sent++ < 1_000) socket.write(HEALTH);
        }
        if (answered === 1_000) resolve();
      });
    });
    socket.write(HEALTH.repeat(10));
    await all;
    socket.destroy();
  });

  it("are read from the store one at a time, after the client has received the previous answer", async () => {
    const { server, ids, length } = await serverOfLargeAnswers();
    const socket = await openSocket(server);
    socket.pause();
    socket.write(variableRequest(1) + variableRequest(2, "close"));
    await serverIsIdle(server);
    expect(ids).toEqual([1]);
    const received = await receivedUntilClose(socket.resume());
    expect(ids).toEqual([1, 2]);
    expect(received.length).toBeGreaterThan(2 * length);
  });

  it("are dropped when the client disconnects", async () => {
    const { server, ids } = await serverOfLargeAnswers();
    const socket = await openSocket(server);
    socket.pause();
    socket.write(variableRequest(1) + variableRequest(2));
    await serverIsIdle(server);
    socket.resetAndDestroy();
    await server.close();
    expect(ids).toEqual([1]);
  });
});

describe("a connection without a request", () => {
  it("is closed after 6 s", async () => {
    const now = vi.spyOn(performance, "now").mockReturnValue(1_000);
    onTestFinished(() => now.mockRestore());
    fakeTimers("setInterval", "clearInterval");
    const server = await runningServer();
    const [idle, other] = [await openSocket(server), await openSocket(server)];
    for (const socket of [idle, other]) {
      socket.write(HEALTH);
      expect((await nextAnswer(socket)).headers).toMatchObject({
        connection: "keep-alive",
        "keep-alive": "timeout=5",
      });
    }
    await serverIsIdle(server);
    now.mockReturnValue(6_999);
    vi.advanceTimersByTime(1_000);
    other.write(HEALTH);
    await nextAnswer(other);
    const received = receivedUntilClose(idle);
    now.mockReturnValue(7_000);
    vi.advanceTimersByTime(1_000);
    expect(await received).toBe("");
    other.write(LAST);
    expect(await receivedUntilClose(other)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each([
    ["HTTP/1.1", "timeout=5"],
    ["HTTP/1.1\r\nConnection: Keep-Alive", "timeout=5"],
    ["HTTP/1.1\r\nConnection: TE, close", undefined],
    ["HTTP/1.0", undefined],
    ["HTTP/1.0\r\nConnection: keep-alive", "timeout=5"],
    ["HTTP/1.1\r\nHost: b", undefined],
  ])("may stay open for a time that the answer tells: %j, %s", async (lines, keepAlive) => {
    const socket = await openSocket(await runningServer());
    socket.write(`GET /healthz ${lines}\r\nHost: a\r\n\r\n`);
    const { headers } = await nextAnswer(socket);
    expect([headers["connection"], headers["keep-alive"]]).toEqual([
      keepAlive ? "keep-alive" : "close",
      keepAlive,
    ]);
  });
});

describe("the time to receive an answer", () => {
  it("is limited, even for a client that receives slowly but steadily", async () => {
    const now = vi.spyOn(performance, "now");
    onTestFinished(() => now.mockRestore());
    fakeTimers("setInterval", "clearInterval");
    const { server, length } = await serverOfLargeAnswers(24 * MIB);
    const socket = await openSocket(server);
    socket.pause();
    socket.write(variableRequest(1));
    await serverIsIdle(server);
    let received = 0;
    for (let second = 0; second <= 61; second++) {
      received += (socket.read(1_024) as Buffer | null)?.length ?? 0;
      now.mockReturnValue(1e9 + second * 1_000);
      vi.advanceTimersByTime(1_000);
      await nextLoop();
    }
    received += (await receivedUntilClose(socket.resume())).length;
    expect(received).toBeGreaterThan(0);
    expect(received).toBeLessThan(length);
  });

  it("is limited for the last one of a connection too", async () => {
    const now = vi.spyOn(performance, "now").mockReturnValue(1_000);
    onTestFinished(() => now.mockRestore());
    fakeTimers("setInterval", "clearInterval");
    const server = await bareServer((_req, res) => res.end());
    const socket = await openSocket(server);
    socket.pause().write("CONNECT evil:443 HTTP/1.1\r\nHost: evil:443\r\n\r\n");
    await once(socket, "readable");
    now.mockReturnValue(61_001);
    vi.advanceTimersByTime(1_000);
    expect((await receivedUntilClose(socket.resume())).length).toBeLessThan(12 * MIB);
  });

  it.each([
    ["a request that is no HTTP", "nonsense\r\n\r\n", 400],
    ["a tunnel", "CONNECT evil:443 HTTP/1.1\r\nHost: evil:443\r\n\r\n", 405],
  ])(
    "is short after the end of a connection that the client keeps open: the answer to %s",
    async (_what, bytes, status) => {
      const server = await runningServer({ drainGrace: 1_000 });
      const socket = connect({ host: "127.0.0.1", port: server.port, allowHalfOpen: true });
      const received: string[] = [];
      socket.setEncoding("utf8").on("data", (text) => received.push(String(text)));
      socket.write(bytes);
      await once(socket, "end");
      expect(received.join("")).toContain(`HTTP/1.1 ${status} `);
      await server.close();
      socket.destroy();
    },
  );
});

describe("the number of connections", () => {
  it("is limited: one more is closed unanswered", async () => {
    fakeTimers("setInterval", "clearInterval");
    const onConnectionsRefused = vi.fn();
    const server = await runningServer({ maxConnections: 2, onConnectionsRefused });
    const [first, second] = [await openSocket(server), await openSocket(server)];
    for (const socket of [first, second]) {
      socket.write(HEALTH);
      expect(await nextAnswer(socket)).toMatchObject({ status: 200 });
    }
    for (let count = 0; count < 3; count++)
      expect(await receivedUntilClose(await openSocket(server))).toBe("");
    vi.advanceTimersByTime(1_000);
    expect(onConnectionsRefused.mock.calls).toEqual([[3]]);

    first.write(LAST);
    await once(first, "close");
    expect(await get(server, "/healthz", {})).toMatchObject({ status: 200 });
    second.destroy();
  });

  it("connections over the limit are reported at most once a minute", async () => {
    fakeTimers("setInterval", "clearInterval");
    const onConnectionsRefused = vi.fn();
    const server = await runningServer({ maxConnections: 1, onConnectionsRefused });
    const open = await openSocket(server);
    open.write(HEALTH);
    await nextAnswer(open);
    for (let second = 0; second < 61; second++) {
      await receivedUntilClose(await openSocket(server));
      vi.advanceTimersByTime(1_000);
    }
    expect(onConnectionsRefused.mock.calls).toEqual([[1], [60]]);
    open.destroy();
  });

  it("is unlimited if maxConnections is 0", async () => {
    const server = await runningServer({ maxConnections: 0 });
    const agents = Array.from({ length: 20 }, () => openSocket(server));
    for (const socket of await Promise.all(agents)) {
      socket.write(LAST);
      expect(await receivedUntilClose(socket)).toMatch(/^HTTP\/1\.1 200 /);
    }
  });
});

it("a request for a protocol upgrade is answered normally, and the connection stays open", async () => {
  const { port } = await runningServer();
  const headers = {
    connection: "Upgrade, HTTP2-Settings",
    upgrade: "h2c",
    "http2-settings": "AAMAAABkAAQCAAAAAAIAAAAA",
  };
  const [response] = await once(
    httpGet({ host: "127.0.0.1", port, path: "/healthz", headers }),
    "response",
  );
  expect(response.statusCode).toBe(200);
  response.resume();
  await once(response, "end");
});
