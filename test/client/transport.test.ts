import dns from "node:dns";
import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Transport } from "../../src/client/transport.js";
import type { ServerRoute } from "../../src/kit/net/proxy.js";
import { ServerError, UnreachableError } from "../../src/kit/text/errors.js";
import { httpPeer, tcpPeer, unusedPort } from "./peer.js";

describe("the transport", () => {
  it("sends a GET for exactly the given target and headers", async () => {
    const { url } = await httpPeer((req, res) => {
      res.end(JSON.stringify([req.method, req.url, req.headers["x-api-key"], req.headers.host]));
    });
    const target = "//v1/%7e/../%2e%2E/a?b=%20&b=+c&";
    const { body } = await transport(url).get(target, { "x-api-key": "key" });
    expect(JSON.parse(body)).toStrictEqual(["GET", target, "key", url.host]);
  });

  it("returns status, headers and the whole body for any status", async () => {
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

  it("reuses a connection", async () => {
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

  it("opens no connection before the first request", async () => {
    const { url, sockets } = await httpPeer((_req, res) => res.end("{}"));
    await transport(url).close();
    await transport(url).get("/", {});
    expect(sockets).toHaveLength(1);
  });
});

describe("the transport, without a complete answer", () => {
  const silent = () => {};
  const partial = (socket: Socket) =>
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\npart of it");

  it.each([
    ["before the headers", silent],
    [
      "in the middle of the headers",
      (socket: Socket) => socket.write("HTTP/1.1 200 OK\r\nContent-"),
    ],
    ["in the middle of the body", partial],
  ])("times out if the server stops %s", async (_when, answer) => {
    const { url, sockets } = await tcpPeer(answer);
    const error = await failure(transport(url, { timeout: 0.1 }).get("/", {}));
    expect(error).toStrictEqual(
      new UnreachableError(`can't reach ${url.origin}: no answer within 0.1 s`),
    );
    expect(error.cause).toMatchObject({ code: "ETIMEDOUT" });
    await vi.waitFor(() => expect(sockets[0]?.closed).toBe(true), 5_000);
  });

  it("times out if the server sends too slowly", async () => {
    const { url } = await httpPeer((_req, res) => {
      const drip = setInterval(() => res.write("x"), 10);
      res.once("close", () => clearInterval(drip));
    });
    await expect(transport(url, { timeout: 0.2 }).get("/", {})).rejects.toThrow("within 0.2 s");
  });

  it.each([
    ["at once", (socket: Socket) => socket.end()],
    ["with a reset", (socket: Socket) => socket.resetAndDestroy()],
    [
      "with a reset in the body",
      (socket: Socket) => partial(socket) && setImmediate(() => socket.resetAndDestroy()),
    ],
    ["in the middle of the body", (socket: Socket) => partial(socket) && socket.end()],
    [
      "in the middle of a chunk",
      (socket: Socket) =>
        socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\npart"),
    ],
  ])("reports a reset if the connection ends %s", async (_how, answer) => {
    const { url } = await tcpPeer(answer);
    const error = await failure(transport(url).get("/", {}));
    expect(error).toStrictEqual(
      new UnreachableError(
        `can't reach ${url.origin}: the connection was reset; should the URL begin with https:?`,
      ),
    );
    expect(error.cause).toMatchObject({ code: "ECONNRESET" });
  });

  it("reports a refused connection", async () => {
    const url = new URL(`http://127.0.0.1:${await unusedPort()}`);
    const error = await failure(transport(url).get("/", {}));
    expect(error).toStrictEqual(
      new UnreachableError(`can't reach ${url.origin}: connection refused; is the server running?`),
    );
    expect(error.cause).toMatchObject({ code: "ECONNREFUSED" });
  });

  it("reports that DNS does not answer", async () => {
    const url = new URL("http://vars.invalid");
    const lookup = ((_host: string, _options: object, callback: (error: Error) => void) =>
      callback(
        Object.assign(new Error("getaddrinfo EAI_AGAIN"), { code: "EAI_AGAIN" }),
      )) as typeof dns.lookup;
    const spy = vi.spyOn(dns, "lookup").mockImplementation(lookup);
    onTestFinished(() => spy.mockRestore());
    const error = await failure(transport(url).get("/", {}));
    expect(error).toStrictEqual(
      new UnreachableError(
        `can't reach ${url.origin}: its name can't be looked up now: no DNS server answers, or all of them fail`,
      ),
    );
    expect(error.cause).toMatchObject({ code: "EAI_AGAIN" });
  });

  it.each([
    [
      "a 101 with Upgrade",
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
    ],
    [
      "a 101 with Upgrade and more",
      "HTTP/1.1 101 No\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\nt0p s3cr3t",
    ],
  ])("reports a protocol upgrade, and ends the connection: %s", async (_what, text) => {
    const { url, sockets } = await tcpPeer((socket) => socket.write(text));
    const error = await failure(transport(url).get("/", {}));
    expect(error).toStrictEqual(new ServerError(`${url.origin} does not answer with HTTP`, 0));
    await vi.waitFor(() => expect(sockets[0]?.closed).toBe(true), 5_000);
  });

  it("returns a 101 without Upgrade like any other status", async () => {
    const { url } = await tcpPeer((socket) =>
      socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
    );
    expect(await transport(url).get("/", {})).toMatchObject({ status: 101, body: "" });
  });

  it.each(["100 Continue", "103 Early Hints"])("reports a reset after only %s", async (status) => {
    const { url } = await tcpPeer((socket) => socket.end(`HTTP/1.1 ${status}\r\n\r\n`));
    await expect(transport(url).get("/", {})).rejects.toThrow("the connection was reset");
  });

  it("times out if the server sends only early hints", async () => {
    const { url } = await tcpPeer((socket) => {
      const drip = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 10);
      socket.once("close", () => clearInterval(drip));
    });
    await expect(transport(url, { timeout: 0.2 }).get("/", {})).rejects.toThrow("within 0.2 s");
  });

  it("times out earlier if a request has less time", async () => {
    const { url } = await tcpPeer(silent);
    await expect(transport(url).get("/", {}, { atMost: 0.1 })).rejects.toThrow("within 0.1 s");
  });

  it("reports too many headers", async () => {
    const { url } = await tcpPeer((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(20_000)}\r\n`),
    );
    const error = await failure(transport(url).get("/", {}));
    expect(error).toStrictEqual(new ServerError(`${url.origin} sends too many headers`, 0));
  });

  it.each([
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["a broken header", "HTTP/1.1 200 OK\r\nt0p s3cr3t\r\n\r\n"],
    ["a broken chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"],
  ])("reports that the answer is not HTTP: %s", async (_what, text) => {
    const { url } = await tcpPeer((socket) => socket.write(text));
    const error = await failure(transport(url).get("/", {}));
    expect(error).toStrictEqual(new ServerError(`${url.origin} does not answer with HTTP`, 0));
  });
});

describe("the transport, with a large or invalid body,", () => {
  const MIB = 1024 * 1024;

  const chunk = Buffer.alloc(MIB, "x");

  /** Sends without end. */
  const endlessPeer = (status: number) =>
    httpPeer((_req, res) => {
      res.writeHead(status);
      const send = () => {
        while (res.write(chunk));
      };
      res.on("drain", send);
      send();
    });

  it("rejects a Content-Length above 64 MiB immediately", async () => {
    const { url, sockets } = await tcpPeer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${64 * MIB + 1}\r\n\r\n`);
    });
    const error = await failure(transport(url).get("/", {}));
    expect(error).toStrictEqual(
      new ServerError(`the answer from ${url.origin} is larger than 64 MiB`, 200),
    );
    await vi.waitFor(() => expect(sockets[0]?.closed).toBe(true), 5_000);
  });

  it("rejects an endless answer when it exceeds the limit", async () => {
    const { url, sockets } = await endlessPeer(200);
    await expect(transport(url).get("/", {})).rejects.toThrow("is larger than 64 MiB");
    await vi.waitFor(() => expect(sockets[0]?.closed).toBe(true), 5_000);
  });

  it.each([401, 404, 429, 503])(
    "reads only the beginning of an answer with status %d",
    async (status) => {
      const { url, sockets } = await endlessPeer(status);
      expect(await transport(url, { timeout: 60 }).get("/", {})).toMatchObject({
        status,
        body: "",
      });
      await vi.waitFor(() => expect(sockets[0]?.closed).toBe(true), 5_000);
      expect(sockets[0]?.bytesWritten).toBeLessThan(16 * MIB);
    },
  );

  it("accepts an answer up to the limit", async () => {
    const { url } = await httpPeer((_req, res) => res.end(Buffer.alloc(64 * MIB, "x")));
    const { body } = await transport(url).get("/", {});
    expect(body.length).toBe(64 * MIB);
  });

  it("rejects text that is not UTF-8", async () => {
    const { url } = await httpPeer((_req, res) =>
      res.end(Buffer.from('{"value":"\xff"}', "latin1")),
    );
    const error = await failure(transport(url).get("/", {}));
    expect(error).toStrictEqual(new ServerError(`the answer from ${url.origin} is not UTF-8`, 200));
  });
});

function transport(origin: URL, options: Partial<ServerRoute> = {}): Transport {
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
