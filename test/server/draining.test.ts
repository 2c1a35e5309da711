import { once } from "node:events";
import { expect, it, onTestFinished, vi } from "vitest";
import { DEV_HEADERS, nextAnswer, openSocket, raw, receivedUntilClose } from "../support/http.js";
import { runningServer } from "../support/running-server.js";
import { stubbedServer } from "../support/stubbed-server.js";

const LINES = Object.entries({ Host: "a", ...DEV_HEADERS }).map(([name, value]) => `${name}: ${value}\r\n`);
const REQUEST = `GET /v1/variables/1 HTTP/1.1\r\n${LINES.join("")}\r\n`;

/** A server whose answers to REQUEST wait, and how to see that one waits and to let it go. */
async function holdingServer() {
  let release = (_description: string) => {};
  let reached = () => {};
  const arrived = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const description = new Promise<string>((resolve) => {
    release = resolve;
  });
  const getVariable = async () => {
    reached();
    return { id: 1, type: "STRING", name: "HELD", description: await description } as const;
  };
  return { server: await stubbedServer({ source: { getVariable } }), arrived, release };
}

it("a request that is open when the server closes is answered, and close waits for it", async () => {
  const { server, arrived, release } = await holdingServer();
  const socket = await openSocket(server);
  socket.write(REQUEST);
  await arrived;
  let isClosed = false;
  const closing = server.close().then(() => {
    isClosed = true;
  });
  // Any refused connection tells that closing is under way; the open request holds it up.
  await expect(openSocket(server)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  expect(isClosed).toBe(false);
  const answer = nextAnswer(socket);
  release("answered");
  expect(await answer).toMatchObject({ status: 200, json: { description: "answered" } });
  socket.end();
  await closing;
});

it("a connection that is still in use is told not to be used again", async () => {
  const { server, arrived, release } = await holdingServer();
  const socket = await openSocket(server);
  socket.write(REQUEST);
  await arrived;
  const closing = server.close();
  const first = nextAnswer(socket);
  release("");
  expect(await first).toMatchObject({ status: 200 });
  const ended = once(socket, "end");
  const second = nextAnswer(socket);
  socket.write(REQUEST);
  expect(await second).toMatchObject({ status: 200, headers: { connection: "close" } });
  await Promise.all([ended, closing]);
});

it("a request that has half arrived is answered with Connection: close", async () => {
  const server = await runningServer();
  const socket = await openSocket(server);
  const half = REQUEST.length / 2;
  socket.write(REQUEST.slice(0, half));
  // An answer on another connection: by then the server has read the first half.
  await raw(server, "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const closing = server.close();
  const received = receivedUntilClose(socket);
  socket.write(REQUEST.slice(half));
  expect(await received).toMatch(/^HTTP\/1\.1 200 OK\r\n(.*\r\n)*Connection: close\r\n/);
  await closing;
});

it("an idle connection is closed at once, and a later one refused", async () => {
  const server = await runningServer();
  const socket = await openSocket(server);
  const answer = nextAnswer(socket);
  socket.write(REQUEST);
  expect(await answer).toMatchObject({ status: 200, headers: { connection: "keep-alive" } });
  const received = receivedUntilClose(socket);
  await server.close();
  expect(await received).toBe("");
  await expect(openSocket(server)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

it("closing twice is closing once", async () => {
  const server = await runningServer();
  await expect(Promise.all([server.close(), server.close()])).resolves.toEqual([undefined, undefined]);
});

it("what is not answered after 10 s is cut off", async () => {
  const { server, arrived } = await holdingServer();
  const socket = await openSocket(server);
  socket.write(REQUEST);
  await arrived;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const received = receivedUntilClose(socket);
  const closing = server.close();
  vi.advanceTimersByTime(9_999);
  expect(socket.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(await received).toBe("");
  await closing;
});
