import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { constants, createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { BINARY } from "../support/binary.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { get, openSocket } from "../support/http.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/**
 * Each request logs an id of 128 characters: their lines are 1.3 MB, five times the limit of unread
 * output.
 */
const LONG_ID = "x".repeat(128);
const REQUESTS = 5_000;
/** On one connection at a time. */
const PIPELINED = 50;

/**
 * A pipe that is not read until `read` is called, which resolves to all that was written until it
 * is closed.
 */
async function unreadPipe() {
  const path = join(await temporaryFolder(), "pipe");
  execFileSync("mkfifo", [path]);
  const reader = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = await open(path, constants.O_WRONLY);
  onTestFinished(async () => {
    // Closing them again does nothing.
    await Promise.all([reader.close(), writer.close()]);
  });
  return {
    fd: writer.fd,
    abandon: () => reader.close(),
    async read(): Promise<string> {
      const waiting = await open(path, constants.O_RDONLY);
      await Promise.all([writer.close(), reader.close()]);
      return text(createReadStream("", { fd: waiting, encoding: "utf8" }));
    },
  };
}

/** Starts a command with the given stderr; its stdout is read. */
function startWith(argv: readonly string[], stderr: number | "pipe") {
  const env = { PATH: process.env["PATH"] ?? "", HOME: "/dev/null" };
  const child = spawn(process.execPath, [BINARY, ...argv], {
    env,
    stdio: ["ignore", "pipe", stderr],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function serveWith(stderr: number | "pipe", ...options: string[]) {
  const { path } = await dataFile(DATA);
  const child = startWith(
    ["serve", "--verbose", "--data", path, "--port", "0", ...options],
    stderr,
  );
  const [line] = await once(child.stdout?.setEncoding("utf8") ?? child, "data");
  return { child, port: Number(/:(\d+)\b/m.exec(line)?.[1]) };
}

/** Sends requests on one connection. @returns the statuses of the answers */
async function ask(server: { port: number }, count: number): Promise<number[]> {
  const socket = (await openSocket(server)).setEncoding("latin1");
  const request = `GET /nothing HTTP/1.1\r\nHost: x\r\nx-request-id: ${LONG_ID}\r\n\r\n`;
  const statuses = new Set<number>();
  for (let left = count; left > 0; left -= PIPELINED) {
    const sent = Math.min(left, PIPELINED);
    socket.write(request.repeat(sent));
    let received = "";
    while (received.split("}").length <= sent) received += (await once(socket, "data"))[0];
    for (const [, status] of received.matchAll(/HTTP\/1\.1 (\d+)/g)) statuses.add(Number(status));
  }
  socket.destroy();
  return [...statuses];
}

async function stopped(child: ReturnType<typeof spawn>): Promise<number> {
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  return code;
}

describe.skipIf(process.platform !== "linux")("an unread log", () => {
  it.each(["pipe", "socket"])(
    "serve answers and stops while its log is not read: a %s",
    async (kind) => {
      // Node's `pipe` is a socket; without a listener, it is not read once it is full.
      const { child, port } = await serveWith(kind === "pipe" ? (await unreadPipe()).fd : "pipe");
      expect(await ask({ port }, REQUESTS)).toEqual([404]);
      expect(await stopped(child)).toBe(0);
    },
  );

  it("serve logs the number of dropped lines once its log is read", async () => {
    const pipe = await unreadPipe();
    const { child, port } = await serveWith(pipe.fd, "--log-format", "json");
    await ask({ port }, REQUESTS);
    const reading = pipe.read();
    expect(await stopped(child)).toBe(0);
    const lines = (await reading).trim().split("\n");
    const logged = lines.map((line) => JSON.parse(line) as { message: string; id?: string });
    const requests = logged.filter(({ id }) => id === LONG_ID).length;
    const counts = logged.flatMap(
      ({ message }) => /^lines dropped: (\d+); /.exec(message)?.[1] ?? [],
    );
    expect(counts.length).toBeGreaterThanOrEqual(1);
    const dropped = counts.reduce((sum, count) => sum + Number(count), 0);
    expect(requests).toBeLessThan(REQUESTS / 2);
    // "stopping" may be among the dropped lines.
    expect([REQUESTS, REQUESTS + 1]).toContain(requests + dropped);
  });

  it("sandbox answers and stops while its log is not read, although its child has the same pipe", async () => {
    // Their lines are 0.4 MB.
    const asking = `
      const { hostname, port } = new URL(process.env.APPVARS_URL);
      const socket = require("net").connect(port, hostname).setEncoding("latin1");
      let [left, answered] = [10_000, 0];
      const send = () => socket.write("GET /nothing HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n".repeat(${PIPELINED}));
      socket.on("data", (text) => {
        answered += text.split("}").length - 1;
        if (answered < ${PIPELINED}) return;
        [left, answered] = [left - ${PIPELINED}, 0];
        if (left > 0) return send();
        socket.destroy();
        console.log("done");
      });
      send();`;
    const script = [process.execPath, "-e", asking].map((word) => `'${word}'`).join(" ");
    const argv = [
      "sandbox",
      "--verbose",
      "--rate-limit",
      "0",
      "--",
      "sh",
      "-c",
      `${script}; exec sleep 1000`,
    ];
    const child = startWith(argv, (await unreadPipe()).fd);
    const [line] = await once(child.stdout?.setEncoding("utf8") ?? child, "data");
    expect(line).toBe("done\n");
    expect(await stopped(child)).toBe(143);
  });
});

describe.skipIf(process.platform !== "linux")("a server whose output can't be written", () => {
  // Descriptor 3 is a pipe whose reader has closed it.
  it.each([
    ">&-",
    "2>&-",
    "<&- >&- 2>&-",
    ">/dev/full 2>/dev/full",
    ">&3",
    ">&3 2>&3",
    "--json >&3",
  ])("serves until it is stopped: serve %s", async (redirection) => {
    const [pipe, port, { path }] = [await unreadPipe(), await freePort(), await dataFile(DATA)];
    await pipe.abandon();
    const script = `exec '${process.execPath}' '${BINARY}' serve --data '${path}' --port ${port} --verbose`;
    const stdio = ["ignore", "ignore", "ignore", pipe.fd] as const;
    const child = spawn("sh", ["-c", `${script} ${redirection}`], {
      env: { HOME: "/dev/null" },
      stdio: [...stdio],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const status = () => get({ port }, "/healthz", {}).then((answer) => answer.status, String);
    await expect.poll(status, { timeout: 15_000 }).toBe(200);
    expect(await ask({ port }, 3)).toEqual([404]);
    expect(await stopped(child)).toBe(0);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
