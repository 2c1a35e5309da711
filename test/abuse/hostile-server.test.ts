import { readFile, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { httpPeer, tcpPeer } from "../client/peer.js";
import { BINARY, run } from "../support/binary.js";
import { dangers, HOSTILE } from "../support/hostile.js";
import { QUICK } from "../support/measuring.js";
import { report } from "../support/report.js";
import { temporaryFolder } from "../support/temporary-folder.js";

// More of a hostile server: test/client/transport.test.ts, test/client/decode.test.ts,
// test/cli/hostile-server.test.ts and test/cli/hostile-text.test.ts. Here, the time and the memory
// of whole commands are measured.

const SECRET = "secret-that-no-other-server-may-get";
const TIMEOUT_S = 1;
const MAX_WAIT_S = 1;
/** The two above, the start of Node, and a machine that is busy. */
const MAX_MS = 8_000;
/** A command needs about 60 MB, and may read 64 MiB. */
const MAX_MB = 500;

const COMMANDS = [
  ["get", "PORT"],
  ["list", "--values"],
  ["export"],
  ["health"],
  ["show", "PORT", "--values"],
  ["run", "--", "true"],
];
const TRIED = QUICK ? COMMANDS.slice(0, 2) : COMMANDS;

const CHUNK = Buffer.alloc(64 * 1_024, "x");
const COMPRESSED = gzipSync(Buffer.alloc(500_000_000));

/** Writes down how much memory a process took at most, in KiB. */
const PEAK = `process.on("exit", () => {
  require("node:fs").writeFileSync(process.env.PEAK, String(process.resourceUsage().maxRSS));
});`;

/** Writes without an end, as fast as the client reads. */
function flood(socket: Socket, head: string, chunk: Buffer | string): void {
  socket.write(head);
  const send = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", send);
  send();
}

/** Writes a byte at a time. */
function drip(socket: Socket, head: string): void {
  socket.write(head);
  const timer = setInterval(() => socket.write("x"), 50);
  socket.on("close", () => clearInterval(timer));
}

const RAW: Record<string, (socket: Socket) => void> = {
  "a body without an end": (socket) => flood(socket, "HTTP/1.1 200 OK\r\n\r\n", CHUNK),
  "chunks without an end": (socket) =>
    flood(socket, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", `10000\r\n${CHUNK}\r\n`),
  "headers without an end": (socket) =>
    flood(socket, "HTTP/1.1 200 OK\r\n", `X: ${CHUNK.subarray(0, 1_000)}\r\n`),
  "early hints without an end": (socket) => flood(socket, "", "HTTP/1.1 103 Early Hints\r\n\r\n"),
  "an error body without an end": (socket) => flood(socket, "HTTP/1.1 500 No\r\n\r\n", CHUNK),
  "a slow body": (socket) => drip(socket, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"),
  "slow headers": (socket) => drip(socket, "HTTP/1.1 200 OK\r\nX: "),
  silence: () => {},
  "a huge length": (socket) =>
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${Number.MAX_SAFE_INTEGER}\r\n\r\n{`),
  "two lengths": (socket) =>
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x"),
  "not HTTP": (socket) => socket.end(`\u0000\u0001${HOSTILE}\r\n\r\n`),
  "a status with escapes": (socket) =>
    socket.end(`HTTP/1.1 500 \u001b[2J\u009b31m\r\nContent-Length: 0\r\n\r\n`),
  "half an answer": (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"),
};

function json(body: unknown, status = 200, headers: Record<string, string> = {}): RequestListener {
  return (_req, res) => res.writeHead(status, headers).end(JSON.stringify(body));
}

const HTTP: Record<string, RequestListener> = {
  "64 MiB of brackets": (_req, res) => res.end(Buffer.alloc(64 * 1_024 * 1_024 - 1, "[")),
  "64 MiB of empty objects": (_req, res) => res.end(`[${"{},".repeat(22_000_000)}{}]`),
  "10 MB of digits": (_req, res) => res.end(Buffer.alloc(10_000_000, "9")),
  "a compressed answer": (_req, res) =>
    res.writeHead(200, { "Content-Encoding": "gzip" }).end(COMPRESSED),
  "escapes in an error": json({ message: HOSTILE }, 500),
  "escapes in a refusal": json({ message: HOSTILE }, 401),
  "an error of 10 MB": json({ message: HOSTILE.repeat(200_000) }, 503),
  "escapes in a name": json({
    metadata: { limit: 1, offset: 0, total: 1 },
    data: [{ id: 1, type: "STRING", name: HOSTILE, description: HOSTILE }],
  }),
  "escapes in health": json({ uptime: 1, message: HOSTILE, date: HOSTILE }, 503),
  "a list without an end": (req, res) => {
    const offset = Number(new URL(req.url ?? "", "http://a").searchParams.get("offset"));
    const data = [{ id: offset + 1, type: "STRING", name: `V${offset}`, description: HOSTILE }];
    json({ metadata: { limit: 1, offset, total: 2_000_000 }, data })(req, res);
  },
  "a wait of a year": json({ message: "wait" }, 429, { "Retry-After": "31536000" }),
  "a wait of no number": json({ message: "wait" }, 429, { "Retry-After": "-1e999" }),
};

it("no hostile server takes much of a command's time or memory, gets its secret elsewhere, or reaches its terminal", async () => {
  const elsewhere: string[] = [];
  const other = await httpPeer((req, res) => {
    elsewhere.push(`${req.method} ${req.url} ${req.rawHeaders.join()}`);
    res.end("{}");
  });
  const redirects = [301, 302, 303, 307, 308].map((status): [string, RequestListener] => [
    `redirect ${status}`,
    (req, res) => res.writeHead(status, { Location: `${other.url.origin}${req.url}` }).end(),
  ]);
  const servers = [
    ...Object.entries(RAW).map(([name, answer]) => ({ name, open: () => tcpPeer(answer) })),
    ...[...Object.entries(HTTP), ...redirects].map(([name, listener]) => ({
      name,
      open: () => httpPeer(listener),
    })),
    {
      name: "a redirect without an end",
      open: () => httpPeer((req, res) => res.writeHead(307, { Location: req.url }).end()),
    },
  ];

  const folder = await temporaryFolder();
  const preload = join(folder, "peak.cjs");
  await writeFile(preload, PEAK);
  const [faults, times, sizes]: [string[], number[], number[]] = [[], [], []];
  const queue = servers.entries();
  const work = async () => {
    for (const [index, { name, open }] of queue) {
      const { url } = await open();
      for (const argv of TRIED) {
        const { ms, megabytes, found } = await tryOn(
          url,
          argv,
          preload,
          join(folder, `peak-${index}`),
        );
        times.push(ms);
        sizes.push(megabytes);
        faults.push(...found.map((fault) => `${name}, ${argv.join(" ")}: ${fault}`));
      }
    }
  };
  // Most of them wait.
  await Promise.all(Array.from({ length: QUICK ? 8 : 4 }, work));
  report(
    "Hostile servers",
    `${TRIED.length} commands with each of ${servers.length} servers: endless, slow, huge, compressed, redirected, malformed`,
    `at most ${(Math.max(...times) / 1_000).toFixed(1)} s with --timeout ${TIMEOUT_S} --max-wait ${MAX_WAIT_S}, ${Math.round(Math.max(...sizes))} MB; ` +
      `${elsewhere.length} requests to another origin; ${faults.length} escape sequences or other faults`,
  );
  expect(elsewhere).toEqual([]);
  expect(faults).toEqual([]);
});

/** Runs a command, and returns its faults. @param peak the file for its peak memory */
async function tryOn(
  { origin }: URL,
  [command = "", ...rest]: readonly string[],
  preload: string,
  peak: string,
) {
  const env = {
    APPVARS_URL: origin,
    APPVARS_API_KEY: "key",
    APPVARS_API_SECRET: SECRET,
    FORCE_COLOR: "1",
    PEAK: peak,
  };
  const limits = ["--timeout", String(TIMEOUT_S), "--max-wait", String(MAX_WAIT_S)];
  const startedAt = performance.now();
  const { code, stdout, stderr } = await run(
    process.execPath,
    ["--require", preload, BINARY, command, ...limits, ...rest],
    env,
  );
  const ms = performance.now() - startedAt;
  const megabytes = Number(await readFile(peak, "utf8")) / 1_024;
  const output = stdout + stderr;
  const found = [
    ...(ms > MAX_MS ? [`took ${Math.round(ms)} ms`] : []),
    ...(megabytes > MAX_MB ? [`took ${Math.round(megabytes)} MB`] : []),
    ...([4, 5, 6, 7].includes(code ?? -1) ? [] : [`exit code ${code}: ${output.slice(0, 200)}`]),
    ...(output.length > 20_000 ? [`printed ${output.length} characters`] : []),
    ...dangers(output),
    ...(output.includes(SECRET) ? ["printed the secret"] : []),
  ];
  return { ms, megabytes, found };
}
