import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "node:tls";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Client } from "../src/client/client.js";
import { Transport } from "../src/client/transport.js";
import { Gateway } from "../src/etcd/gateway.js";
import { parseProxy } from "../src/kit/net/proxy.js";
import { openTunnel } from "../src/kit/net/tunnel.js";
import { readCertificate } from "../src/tasks/doctor/certificate.js";
import { ask as askAsDoctor } from "../src/tasks/doctor/check-server.js";
import { listening } from "./client/peer.js";
import { httpProxy } from "./support/http-proxy.js";
import { TLS } from "./support/tls.js";

const SOURCES = join(import.meta.dirname, "../src");

/** Reads certificates that are not trusted, and sends nothing. */
const INSPECTING = "tasks/doctor/certificate.ts";
/**
 * The files that make TLS connections. Each takes the options from `tlsOptions`, directly or from
 * one of the others.
 */
const CONNECTING = {
  [INSPECTING]: "tlsOptions",
  "client/transport.ts": "tlsOptions",
  "kit/net/tunnel.ts": "proxyAddress",
  "etcd/json-client.ts": "tlsOptions",
};
/** The only one that accepts TLS connections. */
const LISTENING = "server/wire/tls.ts";

const sources = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => [path, readFileSync(join(SOURCES, path), "utf8")] as const);

describe("the sources", () => {
  it("make TLS connections in a few files only, with the options of one function", () => {
    // Anything that can connect: modules of Node.js, its fetch and WebSocket.
    const connects =
      /^import (?!type)[^;]*"(?:node:)?(?:https|tls|http2)";|import\("(?:(?:node:)?(?:https|tls|http2)|undici)"\)|(?<![.\w])fetch\(|new WebSocket\(/m;
    const found = sources.filter(([, text]) => connects.test(text)).map(([path]) => path);
    expect(found.sort()).toEqual([...Object.keys(CONNECTING), LISTENING].sort());
    for (const [path, name] of Object.entries(CONNECTING))
      expect(sources.find(([each]) => each === path)?.[1]).toMatch(
        new RegExp(`\\.\\.\\.${name}\\(|: ${name}\\(`),
      );
  });

  it("say only in one place which certificates are accepted", () => {
    const says = /rejectUnauthorized|checkServerIdentity|minVersion|secureContext/;
    const found = sources.filter(([, text]) => says.test(text)).map(([path]) => path);
    expect(found.sort()).toEqual(["kit/net/tls-options.ts", LISTENING, INSPECTING]);
  });
});

const CREDENTIALS = {
  apiKey: "key",
  apiSecret: "hunter2",
  auth: "headers",
  insecure: true,
} as const;

const ask = (url: string, proxy?: string) => {
  const client = new Client({ url, ...CREDENTIALS, proxy, maxWait: 0 });
  onTestFinished(() => client.close());
  return client.getContentByName("A");
};

const askEtcd = (url: string) => {
  const gateway = new Gateway({
    endpoints: [url],
    user: "root",
    password: "hunter2",
    times: { request: 1 },
  });
  onTestFinished(() => gateway.close());
  return gateway.range({ key: "/s/head" });
};

const tunnelTo = async (port: number) => {
  const proxy = parseProxy(`https://user:hunter2@localhost:${port}`);
  (await openTunnel({ host: "vars.example", port: 443 }, { proxy, timeout: 5_000 })).destroy();
};

const probe = async (port: number) => {
  const transport = new Transport({ origin: new URL(`https://localhost:${port}`), timeout: 5 });
  onTestFinished(() => transport.close());
  const { error } = await askAsDoctor(transport, "/healthz", ({ body }) => body);
  if (error) throw error;
};

/** Each way to make a TLS connection, to a port of this machine. */
const CONNECTIONS: [client: string, connect: (port: number) => Promise<unknown>][] = [
  ["the client", (port) => ask(`https://localhost:${port}`)],
  [
    "the client, through a proxy",
    async (port) =>
      ask(`https://localhost:${port}`, `http://127.0.0.1:${(await httpProxy()).port}`),
  ],
  [
    "the client, to a proxy with TLS",
    (port) => ask("http://vars.example", `https://user:hunter2@localhost:${port}`),
  ],
  [
    "the client, to a tunnel",
    (port) => ask("https://vars.example", `https://user:hunter2@localhost:${port}`),
  ],
  ["doctor", probe],
  ["doctor, to a tunnel", tunnelTo],
  ["etcd", (port) => askEtcd(`https://localhost:${port}`)],
];

/** A server with an untrusted certificate, and all bytes sent to it inside of TLS. */
async function selfSigned() {
  const received: string[] = [];
  const server = createServer(TLS, (socket) =>
    socket.on("data", (bytes) => received.push(String(bytes))),
  );
  server.on("tlsClientError", () => {});
  const { port, sockets } = await listening(server as never, "https");
  const settled = () =>
    vi.waitFor(() => expect(sockets.map((each) => each.closed)).not.toContain(false), 5_000);
  return { port, sockets, received, settled };
}

describe("with NODE_TLS_REJECT_UNAUTHORIZED=0", () => {
  it.each(CONNECTIONS)(
    "nothing is sent to a server whose certificate is not trusted: %s",
    async (_what, connect) => {
      vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
      onTestFinished(() => void vi.unstubAllEnvs());
      const { port, sockets, received, settled } = await selfSigned();
      await expect(connect(port)).rejects.toThrow(/self.signed/i);
      await settled();
      expect([sockets.length > 0, received]).toEqual([true, []]);
    },
  );

  it("nothing is sent over the connection with which doctor reads a certificate", async () => {
    const { port, sockets, received, settled } = await selfSigned();
    const facts = await readCertificate({
      origin: new URL(`https://localhost:${port}`),
      timeout: 5,
    });
    await settled();
    expect(facts?.refusal).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
    expect([sockets.length, received]).toEqual([1, []]);
  });
});
