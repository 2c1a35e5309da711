import { spawn } from "node:child_process";
import { once } from "node:events";
import { link, readFile, rename, stat, symlink, truncate } from "node:fs/promises";
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { sign } from "../../src/signing/sign.js";
import { BINARY } from "../support/binary.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { DEV_HEADERS, get, type Headers, raw } from "../support/http.js";

const PATIENCE = { timeout: 20_000 };

interface Options {
  flags?: string[];
  /** The largest file that the server can write: units of 512 bytes. */
  fileSize?: number;
}

/** `serve` with an audit log next to its data file. */
async function serveWith({ flags = [], fileSize }: Options) {
  const { path } = await dataFile(DATA);
  const audit = `${path}.audit`;
  const argv = ["serve", "--data", path, "--port", "0", "--rate-limit", "0", "--audit-log", audit];
  const all = [process.execPath, BINARY, ...argv, ...flags];
  // Node ignores the signal that comes with the limit.
  const script = `${fileSize === undefined ? "" : `ulimit -f ${fileSize} && `}exec "$0" "$@"`;
  const child = spawn("sh", ["-c", script, ...all], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/dev/null" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (part) => {
    log += part;
  });
  const [stdout] = await once(child.stdout.setEncoding("utf8"), "data");
  const stop = async () => {
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  };
  return { child, port: Number(/:(\d+)$/m.exec(stdout)?.[1]), audit, log: () => log, stop };
}

interface Line {
  id?: string;
  status?: number;
  lines_lost?: number;
}

/** The lines of a file, each of which has to be JSON. */
async function linesOf(path: string): Promise<Line[]> {
  const lines = (await readFile(path, "utf8")).split("\n");
  expect(lines.pop()).toBe("");
  // An empty one ends a part of a line, here one that was cut off.
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}

/**
 * Reads one variable repeatedly, on so many connections, until it is stopped.
 *
 * @returns the ids of successful reads
 */
function load(port: number, connections = 4) {
  const answered: string[] = [];
  let isStopped = false;
  const keepReading = async (connection: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let count = 0; !isStopped; count++) {
      const id = `load-${connection}-${count}`;
      const headers = { ...DEV_HEADERS, "x-request-id": id };
      const outgoing = request({
        host: "127.0.0.1",
        port,
        path: "/v1/variables-values/12",
        headers,
        agent,
      }).end();
      const [incoming] = await once(outgoing, "response");
      await text(incoming);
      if (incoming.statusCode === 200) answered.push(id);
    }
    agent.destroy();
  };
  const all = Promise.all(Array.from({ length: connections }, (_, index) => keepReading(index)));
  const stop = async () => {
    isStopped = true;
    await all;
    return answered;
  };
  return { answered, stop };
}

const loadedIds = (lines: Line[]) =>
  lines.flatMap(({ id }) => (id?.startsWith("load-") ? [id] : [])).sort();

describe.skipIf(process.platform === "win32")("the audit log", () => {
  it("loses no line when it is renamed", async () => {
    const { child, port, audit, log, stop } = await serveWith({});
    const reads = load(port);
    const old = [`${audit}.1`, `${audit}.2`];
    for (const [index, name] of old.entries()) {
      const before = reads.answered.length;
      await expect.poll(() => reads.answered.length, PATIENCE).toBeGreaterThan(before + 50);
      await rename(audit, name);
      child.kill("SIGHUP");
      await expect
        .poll(() => log().split("SIGHUP: reloading").length - 1, PATIENCE)
        .toBe(index + 1);
      await expect
        .poll(
          () =>
            stat(audit).then(
              ({ size }) => size,
              () => 0,
            ),
          PATIENCE,
        )
        .toBeGreaterThan(0);
    }
    const answered = await reads.stop();
    await stop();
    const lines = await Promise.all([...old, audit].map(linesOf));
    expect(loadedIds(lines.flat())).toEqual([...answered].sort());
    for (const each of lines) expect(each.length).toBeGreaterThan(0);
    expect((await stat(audit)).mode & 0o777).toBe(0o600);
  });

  it("refuses reads that can't be logged, and recovers by itself", async () => {
    const { port, audit, log, stop } = await serveWith({ fileSize: 16 });
    const reads = load(port);
    await expect.poll(log, PATIENCE).toMatch(/can't be written: .*; reads are answered 503\n/);
    await expect
      .poll(async () => (await get({ port }, "/v1/variables")).status, PATIENCE)
      .toBe(503);
    const health = async () => (await get({ port }, "/healthz", {})).status;
    await expect.poll(health, PATIENCE).toBe(503);
    expect(await get({ port }, "/v1/variables", {})).toMatchObject({ status: 401 });
    // As many whole lines as there were answers. The last one may be a part of a line.
    const answered = await reads.stop();
    const text = await readFile(audit, "utf8");
    await truncate(audit, text.lastIndexOf("\n") + 1);
    expect(loadedIds(await linesOf(audit))).toEqual([...answered].sort());
    await truncate(audit);
    const statuses = async () => (await get({ port }, "/v1/variables")).status;
    await expect.poll(statuses, PATIENCE).toBe(200);
    await expect.poll(health, PATIENCE).toBe(200);
    await expect
      .poll(log, PATIENCE)
      .toContain(`${audit} can be written again; requests missing in it: `);
    await stop();
    const lines = await linesOf(audit);
    expect(lines.some(({ lines_lost = 0 }) => lines_lost > 0)).toBe(true);
    expect(log().match(/can't be written/g)?.length).toBeLessThanOrEqual(2);
  });

  it.each([
    [
      "a link",
      (_data: string, audit: string) => symlink("target", audit),
      8,
      "can't be opened: it is a link",
    ],
    [
      "the data file by another name",
      link,
      2,
      "is the file of --data, which its lines would destroy",
    ],
  ] as const)("must not be %s", async (_what, make, exitCode, reason) => {
    const { path } = await dataFile(DATA);
    const audit = `${path}.audit`;
    await make(path, audit);
    const argv = [BINARY, "serve", "--data", path, "--port", "0", "--audit-log", audit];
    const child = spawn(process.execPath, argv, {
      env: { HOME: "/dev/null" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect(stderr).toContain(`${audit} ${reason}`);
    expect(code).toBe(exitCode);
  });
});

/**
 * Everything that no log may contain: secrets, values, signatures, and names of variables unless
 * they may be there.
 */
const SECRET = [
  ...DATA.environments.map(({ api_secret }) => api_secret),
  ...DATA.values.flatMap(({ content: { value } }) =>
    typeof value === "string" && value !== "" ? [value] : [],
  ),
  "hunter2",
  "HMAC",
];

describe("logs and the audit log of a server", () => {
  it.each(["pretty", "json"])(
    "have no secret, no value and no text of a client: format %s",
    async (format) => {
      const flags = ["--verbose", "--log-format", format];
      const { port, audit, log, stop } = await serveWith({ flags });
      const paths = [
        "/v1/variables",
        "/v1/variables-values",
        "/v1/variables-values-by-name/DATABASE_URL/content",
      ];
      const made = [
        "/v1/variables-values-by-name/hunter2",
        "/hunter2",
        "/v1/variables?limit=hunter2",
        "/v1/hunter2%1b",
      ];
      const signed = (path: string): Headers => {
        const authorization = sign(
          { timestamp: Date.now(), method: "GET", route: path },
          "dev-secret",
        );
        return { "x-api-key": "dev-key", authorization };
      };
      const strange: Headers[] = [
        { "x-api-key": "hunter2", "x-api-secret": "hunter2" },
        { "x-api-key": "dev-key", authorization: "HMAC hunter2:hunter2" },
        { "x-request-id": "hunter2\u009b31m" },
        { traceparent: "hunter2", "user-agent": "hunter2", referer: "hunter2" },
      ];
      for (const path of [...paths, ...made]) {
        for (const headers of [DEV_HEADERS, signed(path), ...strange])
          await get({ port }, path, headers);
      }
      await raw({ port }, "GET /hunter2 HTTP/1.1\r\nHost: x\r\nhunter2 hunter2\r\n\r\n");
      await raw({ port }, "hunter2\r\n\r\n");
      await stop();
      const audited = await readFile(audit, "utf8");
      for (const written of [log(), audited]) {
        expect(SECRET.filter((secret) => written.includes(secret))).toEqual([]);
        expect(written).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
      }
      const requests = 7 * 6 + 2;
      const logged = log()
        .split("\n")
        .filter((line) => / in [\d.]+ ms,|"ms":/.test(line));
      expect(logged).toHaveLength(requests);
      expect(logged.filter((line) => line.includes("DATABASE_URL"))).toEqual([]);
      expect(audited.match(/DATABASE_URL/g)?.length).toBe(3 * 2);
      expect(await linesOf(audit)).toHaveLength(requests);
    },
  );
});
