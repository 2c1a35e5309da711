import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Transport, type TransportOptions } from "../../src/client/transport.js";
import { ServerError, UnreachableError } from "../../src/domain/errors.js";
import { httpPeer, tcpPeer, unusedPort } from "./peer.js";

describe("the transport", () => {
  it("sends a GET for exactly this target and these headers", async () => {
    const { url } = await httpPeer((req, res) => {
      res.end(JSON.stringify([req.method, req.url, req.headers["x-api-key"], req.headers.host]));
    });
    const target = "//v1/%7e/../%2e%2E/a?b=%20&b=+c&";
    const { body } = await transport(url).get(target, { "x-api-key": "key" });
    expect(JSON.parse(body)).toStrictEqual(["GET", target, "key", url.host]);
  });

  it("gives status, headers and the whole body, whatever the status", async () => {
    const { url } = await httpPeer((_req, res) => {
      res.writeHead(503, { "X-Kind": "test" });
      for (const byte of Buffer.from("é€😀")) res.write(Buffer.from([byte]));
      res.end();
    });
    expect(await transport(url).get("/", {})).toMatchObject({
      status: 503,
      headers: { "x-kind": "test" },
      body: "é€😀",
    });
  });

  it("does not follow a redirect", async () => {
    const targets: (string | undefined)[] = [];
    const { url } = await httpPeer((req, res) => {
      targets.push(req.url);
      res.writeHead(302, { Location: "/elsewhere" }).end();
    });
    expect(await transport(url).get("/here", {})).toMatchObject({ status: 302, body: "" });
    expect(targets).toStrictEqual(["/here"]);
  });

  it("uses one connection for one request after another", async () => {
    const { url, sockets } = await httpPeer((_req, res) => res.end("{}"));
    const reused = transport(url);
    for (let count = 0; count < 3; count++) await reused.get("/", {});
    expect(sockets).toHaveLength(1);
  });

  it("ends its connections when it is closed", async () => {
    const { url, sockets } = await httpPeer((_req, res) => res.end("{}"));
    const closed = transport(url);
    await closed.get("/", {});
    const ended = once(sockets[0] as Socket, "close");
    await closed.close();
    await ended;
  });

  it("opens no connection before it is asked, nor when it is closed unused", async () => {
    const { url, sockets } = await httpPeer((_req, res) => res.end("{}"));
    await transport(url).close();
    await transport(url).get("/", {});
    expect(sockets).toHaveLength(1);
  });
});

describe("the transport, when no whole answer comes", () => {
  const silent = () => {};
  const partial = (socket: Socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\npart of it");

  it.each([
    ["before the headers", silent],
    ["in the middle of the headers", (socket: Socket) => socket.write("HTTP/1.1 200 OK\r\nContent-")],
    ["in the middle of the body", partial],
  ])("gives up after its timeout: the server stops %s", async (_when, answer) => {
    const { url, sockets } = await tcpPeer(answer);
    const error = await failure(transport(url, { timeout: 0.1 }).get("/", {}));
    expect(error).toStrictEqual(new UnreachableError(`no answer from ${url.origin} within 0.1 s`));
    expect(error.cause).toMatchObject({ code: "ETIMEDOUT" });
    await vi.waitFor(() => expect(sockets[0]?.closed).toBe(true), 5_000);
  });

  it("gives up after its timeout on a server that keeps dripping", async () => {
    const { url } = await httpPeer((_req, res) => {
      const drip = setInterval(() => res.write("x"), 10);
      res.once("close", () => clearInterval(drip));
    });
    await expect(transport(url, { timeout: 0.2 }).get("/", {})).rejects.toThrow("within 0.2 s");
  });

  it.each([
    ["at once", (socket: Socket) => socket.end()],
    ["with a reset", (socket: Socket) => socket.resetAndDestroy()],
    ["with a reset in the body", (socket: Socket) => partial(socket) && setImmediate(() => socket.resetAndDestroy())],
    ["in the middle of the body", (socket: Socket) => partial(socket) && socket.end()],
    [
      "in the middle of a chunk",
      (socket: Socket) => socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\npart"),
    ],
  ])("says that the connection was reset when it ends %s", async (_how, answer) => {
    const { url } = await tcpPeer(answer);
    const error = await failure(transport(url).get("/", {}));
    expect(error).toStrictEqual(new UnreachableError(`can't reach ${url.origin}: the connection was reset`));
    expect(error.cause).toMatchObject({ code: "ECONNRESET" });
  });

  it("says that nobody listens", async () => {
    const url = new URL(`http://127.0.0.1:${await unusedPort()}`);
    const error = await failure(transport(url).get("/", {}));
    expect(error).toStrictEqual(
      new UnreachableError(`can't reach ${url.origin}: connection refused; is the server running?`),
    );
    expect(error.cause).toMatchObject({ code: "ECONNREFUSED" });
  });

  it.each([
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["a broken header", "HTTP/1.1 200 OK\r\nt0p s3cr3t\r\n\r\n"],
    ["a broken chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"],
  ])("says that it is no HTTP when the answer is %s", async (_what, text) => {
    const { url } = await tcpPeer((socket) => socket.write(text));
    const error = await failure(transport(url).get("/", {}));
    expect(error).toStrictEqual(new ServerError(`${url.origin} does not answer with HTTP`, 0));
  });
});

function transport(origin: URL, options: Partial<TransportOptions> = {}): Transport {
  const made = new Transport({ origin, timeout: 10, ...options });
  onTestFinished(() => made.close());
  return made;
}

function failure(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => Promise.reject(new Error("it did not fail")),
    (error) => error,
  );
}
