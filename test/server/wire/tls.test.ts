import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Client } from "../../../src/client/client.js";
import type { ServeOptions } from "../../../src/library/local-server.js";
import {
  DEV_HEADERS,
  nextAnswer,
  openSocket,
  raw,
  receivedUntilClose,
} from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";
import {
  CLIENT,
  CLIENT_CA,
  connectTls,
  openTlsSocket,
  RENEWED,
  serialOf,
  TLS,
} from "../../support/tls.js";

const HEALTH = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
const LINES = Object.entries({ Host: "a", ...DEV_HEADERS }).map(
  ([name, value]) => `${name}: ${value}\r\n`,
);
const REQUEST = `GET /v1/variables/1 HTTP/1.1\r\n${LINES.join("")}\r\n`;
/** The start of a handshake message of 512 bytes. */
const HALF_HELLO = Buffer.from("160301020001000000fc0303", "hex");
const [SERIAL, RENEWED_SERIAL] = ["01", "02"];

const tlsServer = (options: Partial<ServeOptions> = {}) => runningServer({ tls: TLS, ...options });

/** The status of an answer on a connection that stays open. */
async function ask(socket: Socket): Promise<number> {
  const answer = nextAnswer(socket);
  socket.write(REQUEST);
  return (await answer).status;
}

/** Resolves to the code of the error that ends a connection; undefined if it ends without one. */
async function endOf(socket: Socket): Promise<string | undefined> {
  const errors: NodeJS.ErrnoException[] = [];
  socket.on("error", (error) => errors.push(error)).resume();
  await new Promise((resolve) => socket.once("close", resolve));
  return errors[0]?.code;
}

/**
 * Whether a connection is closed without an answer: with TLS 1.3, the client may send before the
 * server has checked it.
 */
async function refused(socket: Socket): Promise<boolean> {
  socket.write(REQUEST);
  return (await receivedUntilClose(socket)) === "";
}

describe("a server with TLS", () => {
  it("has an https URL, and answers its client", async () => {
    const server = await tlsServer();
    expect(server.url).toBe(`https://127.0.0.1:${server.port}`);
    const client = new Client({
      url: server.url,
      ca: TLS.cert,
      ...server.credentials("shop/development"),
    });
    onTestFinished(() => client.close());
    expect(await client.getContentByName("PORT")).toEqual({ value: 3000 });
  });

  it.each([
    ["TLSv1.3", "TLS_AES_128_GCM_SHA256"],
    ["TLSv1.2", "ECDHE-ECDSA-AES128-GCM-SHA256"],
  ] as const)("speaks %s with a fast cipher", async (version, cipher) => {
    const socket = await openTlsSocket(await tlsServer(), {
      minVersion: version,
      maxVersion: version,
    });
    expect([socket.getProtocol(), socket.getCipher().name]).toEqual([version, cipher]);
    expect(await ask(socket)).toBe(200);
    socket.destroy();
  });

  it("refuses TLS 1.1", async () => {
    const old = {
      minVersion: "TLSv1.1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT:@SECLEVEL=0",
    } as const;
    expect(await endOf(connectTls(await tlsServer(), old))).toBe(
      "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
    );
  });

  it("refuses to negotiate again, which would cost it more than a client", async () => {
    // Node does not notice at once that the client leaves after that.
    const server = await tlsServer({ drainGrace: 0 });
    const socket = await openTlsSocket(server, { maxVersion: "TLSv1.2" });
    expect(await ask(socket)).toBe(200);
    const outcome = new Promise((resolve) => {
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
      socket.renegotiate({}, (error) =>
        resolve((error as NodeJS.ErrnoException | null)?.code ?? "negotiated"),
      );
    });
    expect(await outcome).toBe("ERR_SSL_NO_RENEGOTIATION");
    socket.destroy();
  });

  it.each([
    ["plain HTTP", HEALTH],
    ["garbage", "\x16\x03\x01garbage that is no handshake"],
  ])("closes a connection with %s cleanly, and answers others", async (_what, bytes) => {
    const server = await tlsServer();
    const socket = await openSocket(server);
    const end = endOf(socket);
    socket.write(bytes);
    expect(await end).toBeUndefined();
    expect(await ask(await openTlsSocket(server))).toBe(200);
  });

  it("counts and answers bytes that are not HTTP", async () => {
    const socket = await openTlsSocket(await tlsServer());
    socket.write("nonsense\r\n\r\n");
    expect(await receivedUntilClose(socket)).toMatch(
      /^HTTP\/1\.1 400 [\s\S]*RateLimit-Remaining: 7499[\s\S]*\{"message"/,
    );
  });

  it.each([
    [
      "a certificate without its key",
      { ...TLS, key: RENEWED.key },
      "the key in tls.key does not belong to the certificate",
    ],
    ["no certificate", { ...TLS, cert: "" }, "tls.cert contains no PEM certificate"],
    ["no authority", { ...TLS, clientCa: "none" }, "tls.clientCa contains no PEM certificate"],
  ])("does not start with %s", async (_what, tls, message) => {
    await expect(runningServer({ tls })).rejects.toThrow(message);
  });
});

describe("a renewed certificate", () => {
  it("is shown on new connections, and old ones keep working", async () => {
    const server = await tlsServer();
    const old = await openTlsSocket(server);
    expect([serialOf(old), await ask(old)]).toEqual([SERIAL, 200]);
    await server.renewTls(RENEWED);
    expect(await ask(old)).toBe(200);
    const fresh = await openTlsSocket(server);
    expect([serialOf(fresh), await ask(fresh)]).toEqual([RENEWED_SERIAL, 200]);
    expect(await ask(old)).toBe(200);
    for (const socket of [old, fresh]) socket.destroy();
  });

  it("that does not match its key is refused, and the old one kept", async () => {
    const server = await tlsServer();
    await expect(server.renewTls({ ...RENEWED, key: TLS.key })).rejects.toThrow(
      "does not belong to the certificate",
    );
    const socket = await openTlsSocket(server);
    expect([serialOf(socket), await ask(socket)]).toEqual([SERIAL, 200]);
    socket.destroy();
  });

  it("can't turn TLS or client certificates on or off", async () => {
    await expect((await runningServer()).renewTls(TLS)).rejects.toThrow("without TLS");
    await expect((await tlsServer()).renewTls({ ...TLS, clientCa: CLIENT_CA })).rejects.toThrow(
      "not added or removed",
    );
  });
});

describe("client certificates", () => {
  const clientCa = CLIENT_CA;

  it.each(["TLSv1.2", "TLSv1.3"] as const)("are required, with %s", async (maxVersion) => {
    const server = await runningServer({ tls: { ...TLS, clientCa } });
    expect(await endOf(connectTls(server, { maxVersion }))).toMatch(
      /ALERT_(CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE)$/,
    );
    expect(await refused(connectTls(server, { maxVersion, ...RENEWED }))).toBe(true);
    const socket = await openTlsSocket(server, { maxVersion, ...CLIENT });
    expect(await ask(socket)).toBe(200);
    socket.destroy();
  });

  it("of another authority are accepted once it has been renewed, and the old ones refused", async () => {
    const server = await runningServer({ tls: { ...TLS, clientCa } });
    const socket = await openTlsSocket(server, CLIENT);
    const [session] = (await once(socket, "session")) as [Buffer];
    await server.renewTls({ ...TLS, clientCa: RENEWED.cert });
    expect(await refused(connectTls(server, { ...CLIENT, session }))).toBe(true);
    const renewed = await openTlsSocket(server, RENEWED);
    expect([await ask(socket), await ask(renewed)]).toEqual([200, 200]);
    for (const each of [socket, renewed]) each.destroy();
  });
});

it("a handshake that is not finished counts as a connection", async () => {
  const server = await tlsServer({ maxConnections: 2 });
  const sockets = [await openSocket(server), await openSocket(server)];
  expect(await endOf(connectTls(server))).toBe("ECONNRESET");
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => openTlsSocket(server).then(ask, (error) => error.code)).toBe(200);
});

describe("the limits of a connection", () => {
  it("are the same with TLS: 100 open requests are answered, in order", async () => {
    const socket = await openTlsSocket(await tlsServer());
    const received = receivedUntilClose(socket);
    const targets = Array.from({ length: 100 }, (_, index) => (index % 6) + 1);
    const requests = targets.map((id) => REQUEST.replace("variables/1", `variables/${id}`));
    socket.write(requests.join("").replace(/\r\n$/, "Connection: close\r\n\r\n"));
    const ids = [...(await received).matchAll(/^\{"id":(\d+),/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual(targets);
  });

  it("are the same with TLS: a request with a body ends it", async () => {
    const socket = await openTlsSocket(await tlsServer());
    const received = receivedUntilClose(socket);
    socket.write(
      HEALTH.replace("\r\n\r\n", "\r\nContent-Length: 9999999\r\n\r\n") + HEALTH.repeat(10),
    );
    expect((await received).match(/^HTTP\/1\.1 \d+|^Connection: .*(?=\r)/gm)).toEqual([
      "HTTP/1.1 200",
      "Connection: close",
    ]);
  });
});

describe("a server with TLS that closes", () => {
  it("answers a request sent right after an answer, and then ends the connection", async () => {
    const server = await tlsServer();
    const socket = await openTlsSocket(server);
    expect(await ask(socket)).toBe(200);
    const closing = server.close();
    // Not later: the connection may count as idle 0.2 s after the answer.
    const received = receivedUntilClose(socket);
    socket.write(REQUEST);
    expect(await received).toMatch(/^HTTP\/1\.1 200 OK\r\n(.*\r\n)*Connection: close\r\n/);
    await closing;
  });

  it.each(["TLSv1.2", "TLSv1.3"] as const)(
    "does not reset an idle connection on which a request arrives, with %s",
    async (maxVersion) => {
      const server = await tlsServer();
      const socket = await openTlsSocket(server, { maxVersion });
      socket.allowHalfOpen = true;
      const onError = vi.fn();
      socket.on("error", onError);
      await ask(socket);
      const closing = server.close();
      await once(socket.resume(), "end");
      for (let count = 0; count < 3; count++)
        await new Promise((resolve) => socket.write(REQUEST, resolve));
      socket.end();
      await Promise.all([once(socket, "close"), closing]);
      expect(onError).not.toHaveBeenCalled();
    },
  );

  it("ends idle connections soon, also those without a handshake", async () => {
    const server = await tlsServer({ drainGrace: 1_000 });
    const [silent, idle] = [await openSocket(server), await openTlsSocket(server)];
    await ask(idle);
    const ends = [silent, idle].map(endOf);
    await server.close();
    expect(await Promise.all(ends)).toEqual([undefined, undefined]);
  });

  it("destroys an unfinished handshake when the grace has passed", async () => {
    const server = await tlsServer({ drainGrace: 0.3 });
    const socket = await openSocket(server);
    socket.write(HALF_HELLO);
    const end = endOf(socket);
    await ask(await openTlsSocket(server));
    await server.close();
    await end;
  });
});

it("plain HTTP is still the default", async () => {
  expect(
    await raw(await runningServer(), HEALTH.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")),
  ).toMatchObject({
    status: 200,
  });
});
