import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { BINARY, start } from "../support/binary.js";
import { DEVELOPMENT } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { startServe } from "../support/serve-process.js";

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
  it.each(["SIGTERM", "SIGINT"] as const)(
    "%s ends serve with exit code 0 while its store does not answer",
    async (signal) => {
      const { port, asked } = await silentServer();
      const { child, ended, log } = startServe(["--store", `etcd://127.0.0.1:${port}/vars`]);
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
