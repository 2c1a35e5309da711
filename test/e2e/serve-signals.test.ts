import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { BINARY, isRunning, start } from "../support/binary.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { get } from "../support/http.js";
import { terminal } from "../support/terminal.js";

/** Runs `serve` on a terminal with its log in a file. */
async function serveOnTerminal() {
  const { path } = await dataFile(DATA);
  const command = `echo pid=$$; exec '${process.execPath}' '${BINARY}' serve --data '${path}' --port 0 2>'${path}.log'`;
  const session = terminal(command, { HOME: "/dev/null" });
  await session.until(/APPVARS_URL=\S+\r\n/);
  const [, pid, port] = /pid=(\d+)[\s\S]*APPVARS_URL=\S+:(\d+)/.exec(session.written()) ?? [];
  const log = () => readFile(`${path}.log`, "utf8");
  const logged = (text: string) => expect.poll(log, { timeout: 15_000 }).toContain(text);
  return { session, pid: Number(pid), port: Number(port), log, logged };
}

it.skipIf(process.platform === "win32")(
  "SIGHUP does not end a server, and SIGTERM does after it",
  async () => {
    const { path } = await dataFile(DATA);
    const child = start(process.execPath, [BINARY, "serve", "--data", path, "--port", "0"]);
    let log = "";
    child.stderr?.setEncoding("utf8").on("data", (text) => {
      log += text;
    });
    await once(child.stdout?.setEncoding("utf8") ?? child, "data");
    child.kill("SIGHUP");
    await expect.poll(() => log, { timeout: 15_000 }).toContain(`reloaded ${path}`);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  },
);

it.skipIf(process.platform !== "linux")(
  "SIGHUP does not end a server on a terminal that is still there",
  async () => {
    const { session, pid, port, logged } = await serveOnTerminal();
    process.kill(pid, "SIGHUP");
    await logged(" reloaded ");
    expect(await get({ port }, "/healthz", {})).toMatchObject({ status: 200 });
    session.type("\u0003");
    expect(await session.exitCode).toBe(0);
  },
);

it.skipIf(process.platform !== "linux")(
  "a server whose terminal is closed answers open requests and stops",
  async () => {
    const { session, pid, port, log, logged } = await serveOnTerminal();
    session.close();
    await logged("stopping after answering open requests");
    const refused = () => get({ port }, "/healthz", {}).then(String, (error) => error.code);
    await expect.poll(refused, { timeout: 15_000 }).toBe("ECONNREFUSED");
    await expect.poll(() => isRunning(pid), { timeout: 15_000 }).toBe(false);
    expect(await log()).not.toContain("Assertion failed");
  },
);
