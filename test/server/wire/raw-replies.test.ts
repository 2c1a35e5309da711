import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { createListener } from "../../../src/server/wire/listener.js";
import { openSocket, raw, receivedUntilClose } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";
import { shortTimeoutListener } from "../../support/short-timeout-listener.js";
import { openTlsSocket, TLS } from "../../support/tls.js";

const REQUEST = "GET /healthz HTTP/1.1\r\n";

describe("a request that Node's parser refuses is answered with JSON, and the connection closed", () => {
  it.each([
    { name: "no HTTP", bytes: "nonsense\r\n\r\n", status: 400 },
    { name: "a TLS handshake", bytes: Buffer.from("1603010200010001fc0303", "hex"), status: 400 },
    { name: "HTTP/2", bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", status: 400 },
    { name: "an unknown method", bytes: "FETCH /healthz HTTP/1.1\r\nHost: a\r\n\r\n", status: 400 },
    {
      name: "raw UTF-8 in the target",
      bytes: "GET /v1/väriables HTTP/1.1\r\nHost: a\r\n\r\n",
      status: 400,
    },
    { name: "a NUL in the target", bytes: "GET /v1/\0 HTTP/1.1\r\nHost: a\r\n\r\n", status: 400 },
    { name: "a space in the target", bytes: "GET /v1/ x HTTP/1.1\r\nHost: a\r\n\r\n", status: 400 },
    {
      name: "a NUL in a header",
      bytes: `${REQUEST}Host: a\r\nx-api-key: dev\0key\r\n\r\n`,
      status: 400,
    },
    {
      name: "a space before the colon",
      bytes: `${REQUEST}Host: a\r\nx-api-key : dev-key\r\n\r\n`,
      status: 400,
    },
    { name: "a folded header", bytes: `${REQUEST}Host: a\r\nx: a\r\n b\r\n\r\n`, status: 400 },
    { name: "a bare line feed", bytes: `${REQUEST}Host: a\nx: a\r\n\r\n`, status: 400 },
    {
      name: "a length together with chunks",
      bytes: `${REQUEST}Host: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      status: 400,
    },
    {
      name: "two lengths",
      bytes: `${REQUEST}Host: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      status: 400,
    },
    {
      name: "a length that is no number",
      bytes: `${REQUEST}Host: a\r\nContent-Length: x\r\n\r\n`,
      status: 400,
    },
    { name: "a tunnel", bytes: "CONNECT evil:443 HTTP/1.1\r\nHost: evil:443\r\n\r\n", status: 405 },
    {
      name: "a tunnel with half a body",
      bytes: "CONNECT evil:443 HTTP/1.1\r\nHost: evil:443\r\nContent-Length: 5\r\n\r\nab",
      status: 405,
    },
    { name: "no Host", bytes: `${REQUEST}\r\n`, status: 400 },
    {
      name: "more than 16 KiB of headers",
      bytes: `${REQUEST}Host: a\r\nx: ${"a".repeat(16_384)}\r\n\r\n`,
      status: 431,
    },
    {
      name: "more than 16 KiB of target",
      bytes: `GET /${"a".repeat(16_384)} HTTP/1.1\r\nHost: a\r\n\r\n`,
      status: 431,
    },
    {
      name: "more than 16 KiB in many headers",
      bytes: `${REQUEST}Host: a\r\n${"x: aaaaaaaaaaaaaaaa\r\n".repeat(1_000)}\r\n`,
      status: 431,
    },
    {
      name: "more than 200 headers",
      bytes: `${REQUEST}Host: a\r\n${"x:\r\n".repeat(200)}\r\n`,
      status: 431,
    },
  ])("$name: $status", async ({ bytes, status }) => {
    const answer = await raw(await runningServer(), bytes);
    expect(answer.status).toBe(status);
    expect(answer.json).toStrictEqual({ message: expect.any(String) });
    expect(answer.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "content-length": String(Buffer.byteLength(answer.body)),
      connection: "close",
      "ratelimit-limit": "7500",
      "ratelimit-remaining": "7499",
      "ratelimit-reset": "60",
    });
  });
});

it("garbage in the body of a request gets only one answer, that to the request, and counts once", async () => {
  const server = await runningServer();
  const socket = await openSocket(server);
  socket.write(
    `GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;${"a".repeat(17_000)}`,
  );
  const received = String(await receivedUntilClose(socket));
  expect(received.match(/^HTTP\/1.1 \d+/gm)).toEqual(["HTTP/1.1 404"]);
  expect((await raw(server, "nonsense")).headers).toMatchObject({ "ratelimit-remaining": "7498" });
});

it("garbage in several records of TLS is counted and answered once", async () => {
  const server = await runningServer({ tls: TLS });
  const answers = async () => {
    const socket = await openTlsSocket(server);
    socket.write("x".repeat(48 * 1_024));
    return (await receivedUntilClose(socket)).match(/HTTP\/1\.1 \d+|(?<=Remaining: )\d+/g);
  };
  expect(await answers()).toEqual(["HTTP/1.1 400", "7499"]);
  expect(await answers()).toEqual(["HTTP/1.1 400", "7498"]);
});

it("garbage in the body of an answered request ends the connection without a second answer", async () => {
  const socket = await openSocket(await runningServer());
  socket.write(`${REQUEST}Host: a\r\nTransfer-Encoding: chunked\r\n\r\n`);
  await once(socket, "data");
  const rest = receivedUntilClose(socket);
  socket.write(`1;${"x".repeat(20_000)}\r\n`);
  expect(await rest).toBe("");
});

it.each([
  ["garbage", "nonsense\r\n\r\n", 400],
  ["a tunnel request", "CONNECT evil:443 HTTP/1.1\r\nHost: evil:443\r\n\r\n", 405],
])(
  "%s after a complete request does not affect its answer, and ends the connection",
  async (_what, bytes, status) => {
    const socket = await openSocket(await runningServer());
    socket.write(`${REQUEST}Host: a\r\n\r\n${bytes}`);
    const statuses = (await receivedUntilClose(socket)).match(/(?<=HTTP\/1\.1 )\d+/g);
    expect(statuses).toEqual(["200", String(status)]);
  },
);

it("just under 16 KiB of headers are accepted", async () => {
  const bytes = `${REQUEST}Host: a\r\nConnection: close\r\nx: ${"a".repeat(16_000)}\r\n\r\n`;
  expect(await raw(await runningServer(), bytes)).toMatchObject({ status: 200 });
});

it("200 headers are accepted", async () => {
  const bytes = `${REQUEST}Host: a\r\nConnection: close\r\n${"x:\r\n".repeat(198)}\r\n`;
  expect(await raw(await runningServer(), bytes)).toMatchObject({ status: 200 });
});

it("HTTP/1.0 needs no Host", async () => {
  expect(await raw(await runningServer(), "GET /healthz HTTP/1.0\r\n\r\n")).toMatchObject({
    status: 200,
  });
});

it("a client that resets its connection during a request does not affect others", async () => {
  const server = await runningServer();
  const socket = await openSocket(server);
  socket.write("GET /heal");
  socket.resetAndDestroy();
  expect(await raw(server, `${REQUEST}Host: a\r\nConnection: close\r\n\r\n`)).toMatchObject({
    status: 200,
  });
});

it("a client has 5 s for the headers of a request", async () => {
  expect(await createListener()).toMatchObject({ headersTimeout: 5_000, requestTimeout: 0 });
});

it("clients that send a request too slowly, or send nothing, are answered 408 and cut off", async () => {
  const server = await shortTimeoutListener();
  const [idle, dripping] = [await openSocket(server), await openSocket(server)];
  dripping.write(`${REQUEST}x: `);
  const drip = setInterval(() => dripping.write("a"), 20);
  const received = await Promise.all([receivedUntilClose(idle), receivedUntilClose(dripping)]);
  clearInterval(drip);
  for (const text of received) {
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain('\r\n\r\n{"message":');
    expect(text).toContain("\r\nRateLimit-Limit: 7500\r\n");
  }
});

it("a client is not answered 408 for a request whose rest waits to be read, since those before are not answered", async () => {
  const server = await shortTimeoutListener(async (_req, res) => {
    await server.timedOut;
    res.end();
  });
  const socket = await openSocket(server);
  const request = (connection: string) =>
    `GET / HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\nx: ${"a".repeat(15_000)}\r\n\r\n`;
  socket.write(request("keep-alive").repeat(5) + request("close"));
  const statuses = (await receivedUntilClose(socket)).match(/(?<=HTTP\/1\.1 )\d+/g);
  expect(statuses).toEqual(Array.from({ length: 6 }, () => "200"));
});
