import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setImmediate as nextLoop } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import type { ServerOptions } from "../../../src/server/start-server.js";
import { HELD, holdLatency } from "../../support/held-latency.js";
import {
  DEV_HEADERS,
  get,
  nextAnswer,
  openSocket,
  raw,
  receivedUntilClose,
} from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";
import { stubbedServer } from "../../support/stubbed-server.js";

const LINES = Object.entries({ Host: "a", ...DEV_HEADERS }).map(
  ([name, value]) => `${name}: ${value}\r\n`,
);
const REQUEST = `GET /v1/variables/1 HTTP/1.1\r\n${LINES.join("")}\r\n`;

/** A server whose answers to REQUEST wait for `release`. `arrived` resolves with the first request. */
async function holdingServer(options: ServerOptions = {}) {
  const { held, releaseAll } = holdLatency();
  let description = "";
  const getVariable = () => ({ id: 1, type: "STRING", name: "HELD", description });
  const server = await stubbedServer({
    options: { ...options, ...HELD },
    reads: { variable: getVariable },
  });
  return {
    server,
    arrived: () => vi.waitFor(() => expect(held).not.toEqual([])),
    release: (text: string) => {
      description = text;
      releaseAll();
    },
  };
}

/** Resolves once the server refuses connections: it has begun to close. */
async function untilRefused(server: { port: number }): Promise<void> {
  const isRefused = ({ code }: NodeJS.ErrnoException) => code === "ECONNREFUSED";
  const isTaken = (socket: Socket) => !socket.destroy();
  while (!(await openSocket(server).then(isTaken, isRefused))) {
    // As long as there are new connections, the server accepts them.
    for (let round = 0; round < 10; round++) await nextLoop();
  }
}

it("close() waits for open requests to be answered", async () => {
  const { server, arrived, release } = await holdingServer();
  const socket = await openSocket(server);
  socket.write(REQUEST);
  await arrived();
  let isClosed = false;
  const closing = server.close().then(() => {
    isClosed = true;
  });
  await untilRefused(server);
  expect(isClosed).toBe(false);
  const answer = nextAnswer(socket);
  release("answered");
  expect(await answer).toMatchObject({ status: 200, json: { description: "answered" } });
  socket.end();
  await closing;
});

it("a request that has partly arrived when the server closes is answered with Connection: close", async () => {
  const server = await runningServer();
  const socket = await openSocket(server);
  const half = REQUEST.length / 2;
  socket.write(REQUEST.slice(0, half));
  // An answer on another connection: by then the server has read the first half.
  await raw(server, "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const closing = server.close();
  await untilRefused(server);
  const received = receivedUntilClose(socket);
  socket.write(REQUEST.slice(half));
  expect(await received).toMatch(/^HTTP\/1\.1 200 OK\r\n(.*\r\n)*Connection: close\r\n/);
  await closing;
});

it("a request sent right after an answer is answered while the server closes, and the connection then ends", async () => {
  const server = await runningServer();
  const socket = await openSocket(server);
  const first = nextAnswer(socket);
  socket.write(REQUEST);
  expect(await first).toMatchObject({ status: 200, headers: { connection: "keep-alive" } });
  const closing = server.close();
  await untilRefused(server);
  const received = receivedUntilClose(socket);
  socket.write(REQUEST);
  expect(await received).toMatch(/^HTTP\/1\.1 200 OK\r\n(.*\r\n)*Connection: close\r\n/);
  await closing;
});

it("an answer that starts before the server closes already has Connection: close", async () => {
  const { server, arrived, release } = await holdingServer();
  const socket = await openSocket(server);
  socket.write(REQUEST);
  await arrived();
  const closing = server.close();
  await untilRefused(server);
  const answer = nextAnswer(socket);
  release("");
  const { status, headers } = await answer;
  expect([status, headers["connection"], headers["keep-alive"]]).toEqual([200, "close", undefined]);
  await closing;
});

it("a request that arrives when an idle connection ends does not reset it", async () => {
  const server = await runningServer();
  const socket = connect({ host: "127.0.0.1", port: server.port, allowHalfOpen: true });
  const onError = vi.fn();
  socket.on("error", onError).resume().write(REQUEST);
  await once(socket, "data");
  const closing = server.close();
  await once(socket, "end");
  // The write after a reset fails.
  for (let count = 0; count < 3; count++)
    await new Promise((resolve) => socket.write(REQUEST, resolve));
  socket.end();
  await Promise.all([once(socket, "close"), closing]);
  expect(onError).not.toHaveBeenCalled();
});

it("an idle connection is closed soon when the server closes, and a new one refused", async () => {
  const server = await runningServer({ drainGrace: 1_000 });
  const socket = await openSocket(server);
  const answer = nextAnswer(socket);
  socket.write(REQUEST);
  expect(await answer).toMatchObject({ status: 200, headers: { connection: "keep-alive" } });
  const received = receivedUntilClose(socket);
  await server.close();
  expect(await received).toBe("");
  await expect(openSocket(server)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

it("close() can be called twice", async () => {
  const server = await runningServer();
  await expect(Promise.all([server.close(), server.close()])).resolves.toEqual([
    undefined,
    undefined,
  ]);
});

it("an answer that is being sent when the server closes is completed", async () => {
  const { server, arrived, release } = await holdingServer();
  const description = "x".repeat(24 * 1_024 * 1_024);
  const socket = await openSocket(server);
  socket.pause();
  socket.write(REQUEST);
  await arrived();
  release(description);
  // Answered on another connection: by then the server has filled the buffers of this one.
  for (let count = 0; count < 10; count++) await get(server, "/healthz", {});
  const closing = server.close();
  expect((await receivedUntilClose(socket.resume())).length).toBeGreaterThan(description.length);
  await closing;
});

it("a request that is not answered within 10 s is cut off when the server closes", async () => {
  const { server, arrived } = await holdingServer();
  const socket = await openSocket(server);
  socket.write(REQUEST);
  await arrived();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const received = receivedUntilClose(socket);
  const closing = server.close();
  await untilRefused(server);
  vi.advanceTimersByTime(9_999);
  expect(socket.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(await received).toBe("");
  await closing;
});

it("an idle connection that the client keeps open does not keep the server from closing soon", async () => {
  const server = await runningServer({ drainGrace: 1_000 });
  const socket = connect({ host: "127.0.0.1", port: server.port, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.resume().write(REQUEST);
  await once(socket, "data");
  await server.close();
});

it.each([
  ["a tunnel", "CONNECT evil:443 HTTP/1.1\r\nHost: evil:443\r\n\r\n"],
  ["a request that is no HTTP", "nonsense\r\n\r\n"],
  ["half a request", "GET /heal"],
  ["nothing", ""],
])(
  "a connection that the client keeps open after %s does not keep the server from closing",
  async (_what, bytes) => {
    const server = await runningServer({ drainGrace: 0 });
    const socket = connect({ host: "127.0.0.1", port: server.port, allowHalfOpen: true });
    socket.on("error", () => {}).resume();
    socket.write(bytes);
    await get(server, "/healthz", {});
    await server.close();
    socket.destroy();
  },
);

it("a client that does not read its answers does not keep the server from closing", async () => {
  const { server, arrived, release } = await holdingServer({ drainGrace: 0 });
  const socket = await openSocket(server);
  socket.pause();
  socket.write(REQUEST);
  await arrived();
  release("x".repeat(24 * 1_024 * 1_024));
  await get(server, "/healthz", {});
  await server.close();
  socket.destroy();
});
