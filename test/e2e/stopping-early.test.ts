import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { BINARY, start } from "../support/binary.js";
import { DATA, DEVELOPMENT } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { startServe } from "../support/serve-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** A server that accepts connections, and never answers. */
async function silentServer() {
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, asked: once(server, "connection") };
}

const SIGHUP_BIT = 1n;

/** Resolves once a process handles SIGHUP, which Node does not do by itself. */
async function untilHandling(pid: number): Promise<void> {
  const caught = async () => {
    const [, mask] =
      /^SigCgt:\s*(\w+)/m.exec(await readFile(`/proc/${pid}/status`, "latin1")) ?? [];
    return (BigInt(`0x${mask}`) & SIGHUP_BIT) !== 0n;
  };
  await expect.poll(caught, { interval: 1 }).toBe(true);
}

describe.skipIf(process.platform === "win32")("a server that is starting", () => {
  it.each([
    ["SIGTERM", []],
    ["SIGINT", []],
    ["SIGTERM", ["--workers", "2"]],
  ] as const)(
    "%s ends serve %j with exit code 0 while its store does not answer",
    async (signal, flags) => {
      const { port, asked } = await silentServer();
      const { child, ended, log } = startServe([
        "--store",
        `etcd://127.0.0.1:${port}/vars`,
        ...flags,
      ]);
      await asked;
      // Which reads everything again.
      child.kill("SIGHUP");
      child.kill(signal);
      // Without an answer, it would exit with 5 after 4 s.
      expect(await ended).toBe(0);
      expect(log()).not.toMatch(/serving|no answer/);
    },
  );

  it.skipIf(process.platform !== "linux")(
    "SIGTERM ends serve with exit code 0 while it parses a file",
    async () => {
      // That it is not JSON takes seconds to find out, and would make it exit with 8.
      const { path } = await dataFile(`[${"{},".repeat(5_000_000)}`);
      const { child, pid, ended } = startServe(["--data", path]);
      await untilHandling(pid);
      child.kill("SIGTERM");
      expect(await ended).toBe(0);
    },
  );

  it("SIGTERM ends serve with exit code 0 before all its workers are ready", async () => {
    const { path } = await dataFile(DATA);
    const preload = join(await temporaryFolder(), "preload.cjs");
    // The first worker signals in place of telling that it is ready. A second signal would end the
    // server by itself.
    await writeFile(
      preload,
      `const { mkdirSync } = require("node:fs");
      const { send } = process;
      const signalOnce = () => {
        try { mkdirSync(__filename + ".signalled"); } catch { return; }
        process.kill(process.ppid, "SIGTERM");
      };
      if (send) process.send = (message, ...rest) =>
        message.kind === "ready" ? signalOnce() : send.call(process, message, ...rest);`,
    );
    const env = { NODE_OPTIONS: `--require=${preload}` };
    expect(await startServe(["--data", path, "--workers", "2"], { env }).ended).toBe(0);
  });
});

const AS_FIRST = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child"];
const canBeFirst = spawnSync("unshare", [...AS_FIRST, "true"]).status === 0;

// Skipped where a program can't be the first process of a PID namespace: that requires Linux and
// unshare.
describe.skipIf(!canBeFirst)("process 1 of a container", () => {
  it.each([
    ["SIGTERM", 143, ["get", "PORT"]],
    ["SIGINT", 130, ["run", "--", "true"]],
    ["SIGHUP", 129, ["list"]],
  ] as const)(
    "%s ends a command that waits for its server with %i",
    async (signal, code, words) => {
      const { port, asked } = await silentServer();
      const env = { APPVARS_URL: `http://127.0.0.1:${port}`, APPVARS_API_KEY: DEVELOPMENT.apiKey };
      const args = [...AS_FIRST, process.execPath, BINARY, ...words];
      const unshare = start("unshare", args, { ...env, APPVARS_API_SECRET: DEVELOPMENT.apiSecret });
      await asked;
      const { pid } = unshare;
      const first = Number(await readFile(`/proc/${pid}/task/${pid}/children`, "latin1"));
      process.kill(first, signal);
      expect(await once(unshare, "exit")).toEqual([code, null]);
    },
  );
});
