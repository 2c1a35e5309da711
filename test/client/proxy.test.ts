import dns, { type LookupOptions } from "node:dns";
import { readFileSync } from "node:fs";
import { createServer, type ServerOptions } from "node:https";
import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Client, type ClientOptions } from "../../src/client/client.js";
import { Transport } from "../../src/client/transport.js";
import { parseProxy, type ServerRoute } from "../../src/kit/net/proxy.js";
import { ServerError, UnreachableError, UsageError } from "../../src/kit/text/errors.js";
import { httpProxy } from "../support/http-proxy.js";
import { CLIENT, CLIENT_CA, TLS, tlsPath } from "../support/tls.js";
import { httpPeer, listening, unusedPort } from "./peer.js";

/** The server's certificate, for a name that only the proxy knows. */
const SERVER = { cert: readFileSync(tlsPath("other-host.pem"), "utf8"), key: TLS.key };
const BOTH = SERVER.cert + TLS.cert;

describe("the client, through a proxy,", () => {
  it("sends requests to an https server through one tunnel", async () => {
    const [{ port }, proxy] = [await tlsPeer(), await httpProxy()];
    const { transport, names } = proxied(
      `https://other.example:${port}`,
      `http://proxy.example:${proxy.port}`,
      {
        ca: SERVER.cert,
      },
    );
    for (let count = 0; count < 3; count++)
      expect(await transport.get("/a?b=c", {})).toMatchObject({ status: 200 });
    expect(proxy.requests).toStrictEqual([`CONNECT other.example:${port}`]);
    expect(names).toStrictEqual(["proxy.example"]);
  });

  it("sends the whole URL of an http server, with the target unchanged", async () => {
    const targets: unknown[] = [];
    const peer = await httpPeer((req, res) => {
      targets.push([req.url, req.headers.host, req.headers["x-api-key"]]);
      res.end("{}");
    });
    const proxy = await httpProxy();
    const origin = `http://vars.example:${peer.port}`;
    const { transport, names } = proxied(origin, `http://proxy.example:${proxy.port}`);
    for (let count = 0; count < 2; count++)
      await transport.get("/a/%7e?b=+c", { "x-api-key": "key" });
    expect(proxy.requests).toStrictEqual(Array(2).fill(`GET ${origin}/a/%7e?b=+c`));
    expect(targets).toStrictEqual(
      Array(2).fill(["/a/%7e?b=+c", `vars.example:${peer.port}`, "key"]),
    );
    expect([names, proxy.sockets.length]).toStrictEqual([["proxy.example"], 1]);
  });

  it.each(["http", "https"])("sends user and password to the proxy only: %s", async (scheme) => {
    const seen: unknown[] = [];
    const peer = scheme === "http" ? await httpPeer(respond) : await tlsPeer({}, respond);
    function respond(req: { headers: object }, res: { end(text: string): void }) {
      seen.push(JSON.stringify(req.headers).includes("roxy-"));
      res.end("{}");
    }
    const proxy = await httpProxy();
    const url = `http://us%40er:p%3Ass%C3%A9@127.0.0.1:${proxy.port}`;
    await proxied(`${scheme}://other.example:${peer.port}`, url, {
      ca: SERVER.cert,
    }).transport.get("/", {});
    expect(proxy.credentials).toStrictEqual([
      `Basic ${Buffer.from("us@er:p:ssé").toString("base64")}`,
    ]);
    expect(seen).toStrictEqual([false]);
  });

  it.each(["http", "https"])(
    "speaks TLS with a proxy, and keeps its certificate for the server: %s",
    async (scheme) => {
      const peer =
        scheme === "http"
          ? await httpPeer((_req, res) => res.end("{}"))
          : await tlsPeer(NEEDS_CERTIFICATE);
      const tls = { ...TLS, requestCert: true, ca: CLIENT_CA, rejectUnauthorized: false };
      const proxy = await httpProxy({ tls });
      const { transport } = proxied(
        `${scheme}://other.example:${peer.port}`,
        `https://localhost:${proxy.port}`,
        {
          ...CLIENT,
          ca: BOTH,
        },
      );
      expect(await transport.get("/", {})).toMatchObject({ status: 200 });
      expect(proxy.certified).toStrictEqual([false]);
    },
  );

  it("checks the name of the server, not that of the proxy", async () => {
    const peer = await tlsPeer(TLS);
    const proxy = await httpProxy();
    const url = `http://localhost:${proxy.port}`;
    const failed = proxied(`https://other.example:${peer.port}`, url, {
      ca: TLS.cert,
    }).transport.get("/", {});
    await expect(failed).rejects.toStrictEqual(
      new UnreachableError(
        `can't reach https://other.example:${peer.port} through the proxy localhost:${proxy.port} (HTTPS_PROXY): ` +
          "its certificate is for another host",
      ),
    );
  });

  it("retries when the proxy can't reach the server now", async () => {
    let refusals = 2;
    const proxy = await httpProxy({
      answer: (socket) => {
        if (refusals-- > 0) return socket.end("HTTP/1.1 503 Service Unavailable\r\n\r\n");
        return socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      },
    });
    const reasons: string[] = [];
    const client = clientOf({
      url: "https://other.example",
      proxy: `http://127.0.0.1:${proxy.port}`,
      onRetry: ({ reason }) => reasons.push(reason),
    });
    await expect(client.getContentByName("A")).rejects.toThrow("status 403");
    expect(reasons).toStrictEqual(
      Array(2).fill(expect.stringMatching(/^the proxy 127.*\(status 503\)$/)),
    );
  });
});

/** How each answer of the proxy is reported. */
const FAILURES: [string, (socket: Socket) => unknown, string][] = [
  ["closes the connection", (socket) => socket.end(), "can't reach NAME: the connection was reset"],
  ["resets it", (socket) => socket.resetAndDestroy(), "can't reach NAME: the connection was reset"],
  [
    "is not one",
    (socket) => socket.write("SSH-2.0-OpenSSH_9.2\r\n"),
    "can't reach NAME: it does not answer with HTTP",
  ],
  ["sends endless headers", sendEndlessly, "can't reach NAME: it sends too many headers"],
  [
    "requires a user",
    (socket) => socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"),
    "NAME requires a user and a password (status 407)",
  ],
  ["does not answer", () => {}, "can't reach NAME: no answer within 0.3 s"],
];

describe.each(["http", "https"])("the client of an %s server, if the proxy", (scheme) => {
  const origin = `${scheme}://other.example:1`;

  it.each(FAILURES)("the client reports a proxy that %s", async (_what, answer, message) => {
    const proxy = await httpProxy({ answer });
    const { transport } = proxied(origin, `http://127.0.0.1:${proxy.port}`, { timeout: 0.3 });
    const name = `the proxy 127.0.0.1:${proxy.port} (HTTPS_PROXY)`;
    await expect(transport.get("/", {})).rejects.toThrow(message.replace("NAME", name));
    await vi.waitFor(() => expect(proxy.sockets[0]?.closed).toBe(true), 5_000);
  });

  it("the client reports a proxy that can't be reached, or refuses the password, without showing it", async () => {
    const port = await unusedPort();
    const refused = proxied(origin, `http://user:hunter2@127.0.0.1:${port}`).transport.get("/", {});
    await expect(refused).rejects.toThrow(
      `can't reach the proxy 127.0.0.1:${port} (HTTPS_PROXY): connection refused; is the proxy running?`,
    );
    const proxy = await httpProxy({ answer: (socket) => socket.end("HTTP/1.1 407 No\r\n\r\n") });
    const unknown = proxied(origin, `http://user:hunter2@127.0.0.1:${proxy.port}`).transport.get(
      "/",
      {},
    );
    await expect(unknown).rejects.toThrow(
      `the proxy 127.0.0.1:${proxy.port} (HTTPS_PROXY) refuses the user and the password of its URL (status 407)`,
    );
  });

  it("the client reports a proxy that speaks no TLS, or has a certificate that is not trusted", async () => {
    const plain = await httpProxy();
    const mistaken = proxied(origin, `https://127.0.0.1:${plain.port}`).transport.get("/", {});
    await expect(mistaken).rejects.toThrow(
      "it does not speak TLS; should its URL begin with http:?",
    );
    const { port, requests } = await httpProxy({ tls: TLS });
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    onTestFinished(() => void vi.unstubAllEnvs());
    const untrusted = proxied(origin, `https://127.0.0.1:${port}`).transport.get("/", {});
    await expect(untrusted).rejects.toThrow(
      `can't reach the proxy 127.0.0.1:${port} (HTTPS_PROXY): its certificate is self-signed; to trust it, use --ca-file, not SSL_CERT_FILE`,
    );
    expect(requests).toStrictEqual([]);
  });

  it("the client ends the connection to a silent proxy when it is closed", async () => {
    let connected = () => {};
    const reached = new Promise<void>((resolve) => {
      connected = resolve;
    });
    const proxy = await httpProxy({ answer: () => connected() });
    const { transport } = proxied(origin, `http://127.0.0.1:${proxy.port}`);
    const waiting = expect(transport.get("/", {})).rejects.toThrow("the client is closed");
    await reached;
    await transport.close();
    await waiting;
    await vi.waitFor(() => expect(proxy.sockets[0]?.closed).toBe(true), 5_000);
  });
});

describe("the client of an http server, if a proxy answers in its place,", () => {
  it.each([
    ["401 Unauthorized", "not an appvars server through NAME (status 401)"],
    ["403 Forbidden", "not an appvars server through NAME (status 403)"],
    ["502 Bad Gateway", "the request through NAME failed with status 502"],
  ])("the client names the proxy with %s", async (status, message) => {
    const page = `HTTP/1.1 ${status}\r\nContent-Length: 7\r\n\r\n<login>`;
    const proxy = await httpProxy({ answer: (socket) => socket.end(page) });
    const client = clientOf({
      url: "http://other.example:1",
      proxy: `http://127.0.0.1:${proxy.port}`,
      maxWait: 0,
    });
    const failed = client.getContentByName("A");
    const expected = message.replace("NAME", `the proxy 127.0.0.1:${proxy.port}`);
    await expect(failed).rejects.toStrictEqual(
      new ServerError(expected, Number.parseInt(status, 10)),
    );
  });
});

describe("a tunnel", () => {
  it("that the proxy refuses is no answer of the server", async () => {
    const proxy = await httpProxy({
      answer: (socket) =>
        socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 23\r\n\r\n{"message":"Not found"}'),
    });
    const url = "https://other.example:1";
    const client = clientOf({ url, proxy: `http://127.0.0.1:${proxy.port}` });
    await expect(client.getContentByName("A")).rejects.toThrow(
      `the proxy 127.0.0.1:${proxy.port} does not connect to other.example:1 (status 404)`,
    );
  });

  it("that breaks is reported with both ends", async () => {
    const proxy = await httpProxy({
      answer: (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        socket.once("data", () => socket.resetAndDestroy());
      },
    });
    const { transport } = proxied("https://other.example", `http://127.0.0.1:${proxy.port}`);
    await expect(transport.get("/", {})).rejects.toStrictEqual(
      new UnreachableError(
        `can't reach https://other.example through the proxy 127.0.0.1:${proxy.port} (HTTPS_PROXY): ` +
          "the connection was reset",
      ),
    );
    expect(proxy.requests).toStrictEqual(["CONNECT other.example:443"]);
  });
});

describe("the option proxy", () => {
  it.each([
    "nonsense",
    "socks5://127.0.0.1:1080",
    "http://u:hunter2@p/path",
    "http://u:hunter2%zz@p",
    "ftp://p",
  ])("refuses %s without quoting it", (proxy) => {
    const message =
      "proxy must be the URL of an HTTP proxy, such as http://proxy.example.com:3128 or " +
      "http://user:password@proxy.example.com:3128";
    expect(() => new Client({ url: "https://vars.example", proxy })).toThrow(
      new UsageError(message),
    );
  });

  it("makes a server on this machine one that others are in front of", () => {
    const options = {
      url: "http://127.0.0.1:7400",
      auth: "headers",
      proxy: "http://proxy.example",
    } as const;
    expect(() => new Client(options)).toThrow(
      "would send the API secret to 127.0.0.1 without encryption",
    );
    expect(() => new Client({ ...options, insecure: true })).not.toThrow();
    expect(() => new Client({ ...options, proxy: "" })).not.toThrow();
  });
});

const NEEDS_CERTIFICATE = { ca: CLIENT_CA, requestCert: true, rejectUnauthorized: true };

function tlsPeer(
  options: ServerOptions = {},
  listener = (_req: never, res: { end(text: string): void }) => res.end("{}"),
) {
  const server = createServer({ ...SERVER, ...options }, listener as never);
  server.on("tlsClientError", () => {});
  return listening(server, "https");
}

/** A transport through a proxy of HTTPS_PROXY, and the names that it looks up. */
function proxied(origin: string, proxy: string, options: Partial<ServerRoute> = {}) {
  const names: string[] = [];
  const { lookup } = dns;
  const fake = (
    name: string,
    options: LookupOptions,
    callback: (...results: unknown[]) => void,
  ) => {
    // A server that listens looks up its address.
    if (typeof options === "function") return lookup(name, options);
    names.push(name);
    setImmediate(() =>
      options.all
        ? callback(null, [{ address: "127.0.0.1", family: 4 }])
        : callback(null, "127.0.0.1", 4),
    );
  };
  const spy = vi.spyOn(dns, "lookup").mockImplementation(fake as typeof dns.lookup);
  onTestFinished(() => spy.mockRestore());
  const transport = new Transport({
    origin: new URL(origin),
    timeout: 10,
    proxy: parseProxy(proxy, "HTTPS_PROXY"),
    ...options,
  });
  onTestFinished(() => transport.close());
  return { transport, names };
}

function clientOf(options: ClientOptions) {
  const client = new Client({ apiSecret: "secret", ca: SERVER.cert, ...options });
  onTestFinished(() => client.close());
  return client;
}

function sendEndlessly(socket: Socket): void {
  const chunk = Buffer.alloc(65_536, "x");
  const send = () => {
    while (socket.writable && socket.write(chunk));
  };
  socket.write("HTTP/1.1 200 OK\r\nX: ");
  socket.on("drain", send);
  send();
}
