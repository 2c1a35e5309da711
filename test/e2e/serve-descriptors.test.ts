import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { BINARY, start } from "../support/binary.js";
import { runCli } from "../support/cli.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { DEV_HEADERS, nextAnswer } from "../support/http.js";

const HEALTH = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
const LINES = Object.entries({ Host: "a", ...DEV_HEADERS }).map(
  ([name, value]) => `${name}: ${value}\r\n`,
);
const DATA_REQUEST = `GET /v1/variables/1 HTTP/1.1\r\n${LINES.join("")}\r\n`;
const LIMIT = 60;

/** `serve` in a process that may have 60 files and connections open. */
async function serveWithFewDescriptors(path: string) {
  const argv = [
    process.execPath,
    BINARY,
    "serve",
    "--data",
    path,
    "--port",
    "0",
    "--max-connections",
    "0",
  ];
  const child = start("sh", ["-c", `ulimit -n ${LIMIT}; exec "$@"`, "sh", ...argv]);
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    log += text;
  });
  const [stdout] = await once(child.stdout?.setEncoding("utf8") ?? child, "data");
  return { port: Number(/:(\d+)$/m.exec(stdout)?.[1]), log: () => log };
}

/** Connections that were answered, as many as the server can have. */
async function takeAllDescriptors({ port }: { port: number }): Promise<Socket[]> {
  const sockets = Array.from({ length: 2 * LIMIT }, () =>
    connect({ host: "127.0.0.1", port }).on("error", () => {}),
  );
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const outcomes = sockets.map((socket) => {
    socket.write(HEALTH);
    return new Promise<Socket[]>((resolve) =>
      socket.once("data", () => resolve([socket])).once("close", () => resolve([])),
    );
  });
  return (await Promise.all(outcomes)).flat();
}

it.skipIf(process.platform === "win32")(
  "credentials are revoked at once while clients hold all file descriptors of the server",
  async () => {
    const { path } = await dataFile(DATA);
    const server = await serveWithFewDescriptors(path);
    const sockets = await takeAllDescriptors(server);
    expect(sockets.length).toBeGreaterThan(0);
    expect(sockets.length).toBeLessThan(LIMIT);
    const [socket] = sockets;
    const ask = async () => {
      const answer = nextAnswer(socket as Socket);
      socket?.write(DATA_REQUEST);
      return (await answer).status;
    };
    expect(await ask()).toBe(200);

    expect(await runCli(["env", "rotate", "shop/development", "--data", path])).toMatchObject({
      code: 0,
    });
    await expect.poll(ask, { timeout: 10_000 }).toBe(401);
    expect(server.log()).not.toContain("can't be read");
  },
);
