import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Data } from "../../src/store/data.js";
import { bigData } from "../support/big-data.mjs";
import { BINARY } from "../support/binary.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { DEV_HEADERS } from "../support/http.js";
import { temporaryFolder } from "../support/temporary-folder.js";

type Headers = Record<string, string>;

const PATIENCE = { timeout: 20_000 };

interface Options {
  workers: number;
  data?: unknown;
  flags?: string[];
  env?: Record<string, string>;
}

/** `serve --workers` in a process group of its own. */
async function startWorkers({ workers, data = DATA, flags = [], env = {} }: Options) {
  const { path, write } = await dataFile(data);
  const argv = [
    BINARY,
    "serve",
    "--data",
    path,
    "--port",
    "0",
    "--workers",
    String(workers),
    ...flags,
  ];
  const child = spawn(process.execPath, argv, {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/dev/null", ...env },
    detached: true,
  });
  onTestFinished(() => void killGroup(child));
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (part) => {
    log += part;
  });
  const exit = once(child, "exit");
  return { child, exit, write, log: () => log };
}

async function serveWith(options: Options) {
  const { child, ...rest } = await startWorkers(options);
  const [stdout] = await once(child.stdout?.setEncoding("utf8") ?? child, "data");
  return { child, pid: child.pid ?? 0, port: Number(/:(\d+)$/m.exec(stdout)?.[1]), ...rest };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-(pid ?? 0), "SIGKILL");
  } catch {
    // Nothing is left of it.
  }
}

/** The ids of the workers. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
}

/** A client with one connection, which is kept open. */
function client(port: number, headers: Headers = DEV_HEADERS) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return async (path: string) => {
    const outgoing = request({ host: "127.0.0.1", port, path, headers, agent }).end();
    const [incoming] = await once(outgoing, "response").catch((error) => {
      throw Object.assign(error, { wasConnected: outgoing.reusedSocket });
    });
    const body = await text(incoming);
    return {
      status: incoming.statusCode as number,
      headers: incoming.headers,
      body,
      json: JSON.parse(body),
    };
  };
}

/** The number of connections to a port that a process has. */
function connectionsOf(pid: number, port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((row) => row.trim().split(/\s+/));
  const established = rows.filter(
    ([, address, , state]) => address?.endsWith(local) && state === "01",
  );
  const inodes = new Set(established.map((row) => `socket:[${row[9]}]`));
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => inodes.has(linkOf(`/proc/${pid}/fd/${fd}`)))
    .length;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "closed in the meantime";
  }
}

/** Clients with open connections: at least so many, and one to each worker. */
async function clientsOfAll(
  { pid, port }: { pid: number; port: number },
  count: number,
  headers?: Headers,
) {
  const clients: ReturnType<typeof client>[] = [];
  while (
    clients.length < count ||
    childrenOf(pid).some((worker) => connectionsOf(worker, port) === 0)
  ) {
    const get = client(port, headers);
    await get("/healthz");
    clients.push(get);
  }
  return clients;
}

/**
 * Sends requests one after the other until `isEnough`, or until one fails, and resolves to the
 * error.
 */
async function keepAsking(ask: () => Promise<unknown>, isEnough: () => boolean): Promise<unknown> {
  try {
    while (!isEnough()) await ask();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe.skipIf(process.platform !== "linux")("serve --workers", () => {
  it("a worker that is killed takes only its own connections with it, and is replaced", async () => {
    const server = await serveWith({ workers: 2, flags: ["--rate-limit", "0"] });
    const { port, pid, log } = server;
    const clients = await clientsOfAll(server, 8);
    const [killed = 0, other] = childrenOf(pid);
    const lost = connectionsOf(killed, port);
    let isReplaced = false;
    const ask = (get: ReturnType<typeof client>) => () => get("/v1/variables/1");
    const loads = clients.map((get) => keepAsking(ask(get), () => isReplaced));
    process.kill(killed, "SIGKILL");
    expect(await Promise.race(loads)).toMatchObject({ code: "ECONNRESET" });
    await expect.poll(() => childrenOf(pid).filter((id) => id !== killed).length, PATIENCE).toBe(2);
    const uptimes = (await clientsOfAll(server, 2)).map(
      async (get) => (await get("/healthz")).json.uptime,
    );
    const [first = 0, ...rest] = await Promise.all(uptimes);
    for (const uptime of rest) expect(Math.abs(uptime - first)).toBeLessThan(0.5);
    isReplaced = true;
    const errors = (await Promise.all(loads)).filter((error) => error !== undefined);
    expect(errors).toHaveLength(lost);
    expect(childrenOf(pid)).toContain(other);
    expect(childrenOf(pid)).not.toContain(killed);
    expect(log().match(/a worker has ended/g)).toHaveLength(1);
  });

  it.each([
    ["SIGTERM", (pid: number) => process.kill(pid, "SIGTERM")],
    ["Ctrl-C in a terminal", (pid: number) => process.kill(-pid, "SIGINT")],
  ])("no request on an open connection is lost by %s", async (_what, stop) => {
    const server = await serveWith({ workers: 2, flags: ["--rate-limit", "0"] });
    const { pid, exit, log } = server;
    let answered = 0;
    const isStopped = () => false;
    const once200 = async (get: ReturnType<typeof client>) => {
      expect((await get("/v1/variables/1")).status).toBe(200);
      answered++;
    };
    const kept = (await clientsOfAll(server, 8)).map((get) =>
      keepAsking(() => once200(get), isStopped),
    );
    await expect.poll(() => answered, PATIENCE).toBeGreaterThan(200);
    stop(pid);
    // A new connection is refused or, if it is made while the socket is closed, reset by the
    // system.
    const failed = { code: expect.stringMatching(/^ECONN(REFUSED|RESET)$/), wasConnected: false };
    expect(await Promise.all(kept)).toEqual(kept.map(() => expect.objectContaining(failed)));
    expect(await exit).toEqual([0, null]);
    expect(log().match(/stopping/g)).toHaveLength(1);
    expect(log()).not.toContain("a worker has ended");
  });

  it("Ctrl-C while the workers start stops the server once they have started", async () => {
    const { child, exit, log } = await startWorkers({ workers: 6 });
    const { pid = 0 } = child;
    const isWorker = (id: number) => commandLine(id).endsWith("worker-process.cjs\0");
    await expect
      .poll(() => childrenOf(pid).filter(isWorker), { ...PATIENCE, interval: 5 })
      .toHaveLength(6);
    process.kill(-pid, "SIGINT");
    expect(await exit).toEqual([0, null]);
    expect(log()).not.toContain("ended");
  });

  it("all workers switch to new data, and no answer has parts of two versions", async () => {
    const server = await serveWith({
      workers: 2,
      data: version("one"),
      flags: ["--rate-limit", "0"],
    });
    const seen = await clientsOfAll(server, 4, {
      "x-api-key": "key-of-staging",
      "x-api-secret": "secret-of-staging",
    });
    const versions = seen.map(() => [] as string[]);
    const loads = seen.map((get, index) =>
      keepAsking(
        async () => {
          const { json } = await get("/v1/variables-values?limit=1000");
          const [{ content }] = json.data;
          expect(
            new Set(json.data.map((value: { content: { value: string } }) => value.content.value))
              .size,
          ).toBe(1);
          if (versions[index]?.at(-1) !== content.value) versions[index]?.push(content.value);
        },
        () => versions.every((each) => each.length > 1),
      ),
    );
    await expect.poll(() => versions.every((each) => each.length > 0), PATIENCE).toBe(true);
    await server.write(version("two"));
    expect(await Promise.all(loads)).toEqual(seen.map(() => undefined));
    expect(versions).toEqual(seen.map(() => ["one", "two"]));
  });

  it("all workers say that the data is out of date, and the log says so once", async () => {
    const server = await serveWith({ workers: 3 });
    const { write, log } = server;
    const clients = await clientsOfAll(server, 3);
    const statuses = () => Promise.all(clients.map(async (get) => (await get("/healthz")).status));
    await write("nonsense");
    await expect.poll(statuses, PATIENCE).toEqual(clients.map(() => 503));
    expect(log().match(/is not valid JSON/g)).toHaveLength(1);
    await write(DATA);
    await expect.poll(statuses, PATIENCE).toEqual(clients.map(() => 200));
  });

  it("no process is left when the primary is killed", async () => {
    const { pid, exit } = await serveWith({ workers: 2 });
    const workers = childrenOf(pid);
    expect(workers).toHaveLength(2);
    process.kill(pid, "SIGKILL");
    await exit;
    await expect.poll(() => workers.filter(isAlive), PATIENCE).toEqual([]);
  });

  it("--max-connections is divided by the workers, and each request is logged once", async () => {
    const server = await serveWith({ workers: 2, flags: ["--max-connections", "2", "--verbose"] });
    const { port, pid, log } = server;
    const clients: ReturnType<typeof client>[] = [];
    // A worker that has its share may be the one that gets the second connection.
    while (clients.length < 2) {
      const get = client(port);
      const { status } = await get("/healthz").catch(() => ({ status: undefined }));
      if (status) clients.push(get);
    }
    expect(childrenOf(pid).map((worker) => connectionsOf(worker, port))).toEqual([1, 1]);
    await expect(client(port)("/healthz")).rejects.toMatchObject({ code: "ECONNRESET" });
    await Promise.all(clients.map((get, index) => get(`/v1/variables/${index + 1}`)));
    await expect.poll(log, PATIENCE).toMatch(/refused connections: \d+; /);
    expect(log().match(/GET \/v1\/variables\/:id 200 in [\d.]+ ms, /g)).toHaveLength(2);
  });

  it("the metrics are those of all workers, and requests are still counted when a worker has ended", async () => {
    const server = await serveWith({ workers: 2, flags: ["--metrics", "0"] });
    const { pid, log } = server;
    const [, url = ""] = /metrics on (\S+)$/m.exec(log()) ?? [];
    const scrape = async () => (await fetch(url)).text();
    const connections = (text: string) =>
      Number(/^appvars_open_connections (\d+)$/m.exec(text)?.[1]);
    const clients = await clientsOfAll(server, 4);
    await Promise.all(clients.map((get) => get("/v1/variables/1")));
    const answered =
      'appvars_http_requests_total{route="/v1/variables/:id",method="GET",status="200"}';
    await expect.poll(scrape, PATIENCE).toContain(`${answered} ${clients.length}\n`);
    expect(connections(await scrape())).toBe(clients.length);
    process.kill(childrenOf(pid)[0] ?? 0, "SIGKILL");
    await expect.poll(log, PATIENCE).toContain("a worker has ended");
    const after = await scrape();
    expect(after).toContain(`${answered} ${clients.length}\n`);
    expect(connections(after)).toBeLessThan(clients.length);
  });

  it("workers take the address of a client from X-Forwarded-For of a trusted proxy", async () => {
    const { port } = await serveWith({
      workers: 2,
      flags: ["--trust-proxy", "loopback", "--rate-limit", "1"],
    });
    const status = async (forwarded: string) =>
      (await client(port, { "X-Forwarded-For": forwarded })("/healthz")).status;
    expect([
      await status("192.0.2.1"),
      await status("192.0.2.2"),
      await status("10.0.0.1, 192.0.2.1"),
    ]).toEqual([200, 200, 429]);
  });

  it("workers have no settings of appvars in their environment, and no arguments", async () => {
    const { pid } = await serveWith({
      workers: 2,
      env: { APPVARS_API_SECRET: "hidden", TZ: "UTC" },
    });
    for (const worker of childrenOf(pid)) {
      const environment = readFileSync(`/proc/${worker}/environ`, "utf8");
      expect(environment).toContain("TZ=UTC");
      expect(environment).not.toContain("APPVARS_");
      expect(commandLine(worker)).toMatch(/worker-process\.cjs\0$/);
    }
  });

  it("serve says that the port is in use if another server takes it before the workers listen", async () => {
    const preload = `${await temporaryFolder()}/take-port.cjs`;
    const error = `Object.assign(new Error("listen"), { code: "EADDRINUSE" })`;
    const listen = `function () { process.nextTick(() => this.emit("error", ${error})); return this; }`;
    await writeFile(
      preload,
      `if (process.send) require("node:net").Server.prototype.listen = ${listen};`,
    );
    const { exit, log } = await startWorkers({
      workers: 2,
      env: { NODE_OPTIONS: `--require ${preload}` },
    });
    expect(await exit).toEqual([1, null]);
    expect(log()).toMatch(/^appvars: port 0 on 127\.0\.0\.1 is in use/m);
    expect(log()).not.toContain("a worker has ended");
  });

  it("serve is ready once the replacement of a worker that could not start is", async () => {
    const folder = await temporaryFolder();
    const preload = `${folder}/end-one-worker.cjs`;
    const claim = `require("node:fs").mkdirSync("${folder}/claimed")`;
    await writeFile(preload, `if (process.send) try { ${claim}; process.exit(3); } catch {}`);
    const { pid, log } = await serveWith({
      workers: 2,
      env: { NODE_OPTIONS: `--require ${preload}` },
    });
    expect(log()).toContain("a worker has ended (exit code 3)");
    expect(childrenOf(pid)).toHaveLength(2);
  });

  it("serve fails if workers keep ending before they are ready", async () => {
    const preload = `${await temporaryFolder()}/end-workers.cjs`;
    await writeFile(preload, "if (process.send) process.exit(3);");
    const { exit, log } = await startWorkers({
      workers: 2,
      env: { NODE_OPTIONS: `--require ${preload}` },
    });
    expect(await exit).toEqual([1, null]);
    expect(log()).toContain(
      "appvars: 5 workers in a row ended before they were ready (exit code 3)\n",
    );
  });
});

/** Whether a process runs, and is not only waiting for its parent to notice its end. */
function isAlive(pid: number): boolean {
  return commandLine(pid) !== "";
}

/** The arguments of a process, each followed by a zero byte; empty if it has ended. */
function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** More data than a page has, with the same text in all values. */
function version(value: string): Data {
  const data = bigData(2_000);
  const variables = data.variables.map((variable) => ({
    ...variable,
    type: "STRING" as const,
    description: "x".repeat(300),
  }));
  return {
    ...data,
    variables,
    values: data.values.map((each) => ({ ...each, content: { value } })),
  };
}
