import { once } from "node:events";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseCacheAge } from "../../src/cli/arguments/flag-arguments.js";
import { cachedCli, filesIn } from "../support/cached-cli.js";
import { runCli } from "../support/cli.js";
import { DATA, edited } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { runningServer } from "../support/running-server.js";

const DOWN =
  /^appvars: using values from \d+ s ago: can.t reach http:\/\/127\.0\.0\.1:\d+ \(\S+\): connection refused; .*\n$/;

describe("get --cache", () => {
  it("prints the last values after one failed attempt, with a note about their age", async () => {
    const { server, get } = await cachedCli();
    expect(await get("--cache PORT DATABASE_URL")).toEqual({
      code: 0,
      stdout: "3000\npostgres://localhost/dev\n",
      stderr: "",
    });
    await server.close();
    const { code, stdout, stderr } = await get("--cache PORT DATABASE_URL");
    expect([code, stdout]).toEqual([0, "3000\npostgres://localhost/dev\n"]);
    expect(stderr).toMatch(DOWN);
  });

  it("keeps the values of the newest version only", async () => {
    const { get, replaceWith } = await cachedCli();
    await get("--cache PORT DEBUG");
    const next = await replaceWith(
      edited((data) => Object.assign(data.values[0].content, { value: 4000 })),
    );
    await get("--cache PORT");
    await next.close();
    expect(await get("--cache PORT DEBUG --max-wait 0")).toMatchObject({ code: 5, stdout: "" });
    expect(await get("--cache PORT --max-wait 0")).toMatchObject({ code: 0, stdout: "4000\n" });
  });

  it("warns about cached values as JSON with --json, and despite --quiet", async () => {
    const { server, get } = await cachedCli();
    await get("PORT --cache");
    await server.close();
    const { stdout, stderr } = await get("PORT --cache --json");
    expect(JSON.parse(stdout)).toEqual({ PORT: 3000 });
    expect(JSON.parse(stderr)).toEqual({
      warning: { message: expect.stringContaining("using values from") },
    });
    expect((await get("PORT --cache --quiet")).stderr).toMatch(DOWN);
  });

  it("ignores answers that are too old", async () => {
    const { server, get } = await cachedCli();
    await get("--cache PORT");
    await server.close();
    const clock = () => Date.now() + 61_000;
    expect(await get("--cache=60 PORT --max-wait 0", { clock })).toMatchObject({
      code: 5,
      stdout: "",
    });
    const { stdout, stderr } = await get("--cache=2m PORT", { clock });
    expect([stdout, stderr]).toEqual([
      "3000\n",
      expect.stringContaining("using values from 61 s ago"),
    ]);
  });

  it("get without --cache neither reads nor writes the cache", async () => {
    const { server, cache, get } = await cachedCli();
    await get("PORT");
    expect(await filesIn(cache)).toEqual([]);
    await get("PORT --cache");
    await server.close();
    expect(await get("PORT --max-wait 0")).toMatchObject({ code: 5, stdout: "" });
  });

  it("prints nothing when only some of the values are cached", async () => {
    const { server, get } = await cachedCli();
    await get("--cache PORT");
    await server.close();
    expect(await get("--cache PORT DEBUG --max-wait 0")).toMatchObject({ code: 5, stdout: "" });
  });

  it("ignores entries that were changed, truncated or planted", async () => {
    const { server, cache, get } = await cachedCli();
    await get("--cache PORT");
    await server.close();
    const [path = ""] = await filesIn(cache);
    const text = await readFile(path, "utf8");
    for (const other of [
      text.replace(/^./, (c) => (c === "A" ? "B" : "A")),
      text.slice(0, 40),
      "",
      '{"value":1}',
    ]) {
      await writeFile(path, other);
      const { code, stdout, stderr } = await get("--cache PORT --max-wait 0");
      expect([code, stdout]).toEqual([5, ""]);
      expect(stderr).not.toContain("using");
    }
  });

  it("prints nothing for another secret or key", async () => {
    const { server, env, get } = await cachedCli();
    await get("--cache PORT");
    await server.close();
    for (const other of [{ APPVARS_API_SECRET: "other" }, { APPVARS_API_KEY: "test-key" }]) {
      const result = await get("--cache PORT --max-wait 0", { env: { ...env, ...other } });
      expect(result).toMatchObject({ code: 5, stdout: "" });
    }
  });

  it("clears the cache when the credentials are refused", async () => {
    const { cache, get, replaceWith } = await cachedCli();
    await get("--cache PORT DEBUG");
    const rotated = await replaceWith(
      edited((data) => Object.assign(data.environments[0], { api_secret: "rotated" })),
    );
    expect(await get("--cache PORT")).toMatchObject({ code: 4, stdout: "" });
    expect(await filesIn(cache)).toEqual([]);
    await rotated.close();
    expect(await get("--cache PORT --max-wait 0")).toMatchObject({ code: 5, stdout: "" });
  });

  it.each([
    ["behind", 3_600],
    ["ahead of", -3_600],
  ])(
    "uses the cache, and keeps it, when this machine's clock is %s the server's",
    async (how, clockSkew) => {
      const { server, env, cache, get } = await cachedCli();
      await get("--cache PORT");
      const files = await filesIn(cache);
      await server.close();
      await runningServer({ port: server.port, faults: { clockSkew } });
      const { code, stdout, stderr } = await get("--cache PORT");
      expect([code, stdout]).toEqual([0, "3000\n"]);
      const reason = `the server refused the signature: this machine's clock is 36\\d\\d s ${how} the server's;`;
      expect(stderr).toMatch(
        new RegExp(`^appvars: using values from \\d+ s ago: ${reason} .*\\n$`),
      );
      expect(await get("--cache DEBUG")).toMatchObject({ code: 4, stdout: "" });
      expect(await filesIn(cache)).toEqual(files);
      // The secret itself has no time.
      const headers = { ...env, APPVARS_AUTH: "headers", APPVARS_API_SECRET: "wrong" };
      expect(await get("PORT", { env: headers })).toMatchObject({
        code: 4,
        stderr: "appvars: the server refused the credentials; appvars doctor finds out why\n",
      });
    },
  );

  it("removes the value of a variable that no longer exists", async () => {
    const { get, replaceWith } = await cachedCli();
    await get("--cache PORT DEBUG");
    const without = edited((data) => {
      data.values = data.values.filter((value: { id: number }) => value.id !== 12);
    });
    const changed = await replaceWith(without);
    expect(await get("--cache PORT")).toMatchObject({ code: 3, stdout: "" });
    await changed.close();
    expect(await get("--cache PORT --max-wait 0")).toMatchObject({ code: 5, stdout: "" });
  });

  it("waits after a 429 for as long as the server says", async () => {
    const { cache, env, server, get } = await cachedCli();
    await get("--cache PORT");
    await server.close();
    const limited = createServer((_req, res) => {
      limited.removeAllListeners("request");
      limited.on("request", (_again, answer) => answer.end('{"value":4000}'));
      res.writeHead(429, { "retry-after": "1" }).end('{"message":"later"}');
    }).listen(server.port, "127.0.0.1");
    onTestFinished(() => void limited.close());
    await new Promise((resolve) => limited.once("listening", resolve));
    expect((limited.address() as AddressInfo).port).toBe(server.port);
    expect(await runCli(["get", "--cache", "PORT"], { env, cache })).toMatchObject({
      code: 0,
      stdout: "4000\n",
    });
  });

  it("reads a secret from stdin only once", async () => {
    const { server, get, env } = await cachedCli();
    const { APPVARS_API_SECRET: _, ...others } = env;
    const piped = { env: others, stdin: "dev-secret\n" };
    expect(await get("--cache PORT --api-secret-file -", piped)).toMatchObject({
      code: 0,
      stdout: "3000\n",
    });
    await server.close();
    expect(await get("--cache PORT --api-secret-file -", piped)).toMatchObject({
      code: 0,
      stdout: "3000\n",
    });
  });

  it("prints values that can't be cached, with a note", async () => {
    const { get } = await cachedCli();
    const { path } = await dataFile("a file where the folder is to be");
    const { code, stdout, stderr } = await get("--cache PORT DEBUG", { cache: path });
    expect([code, stdout]).toEqual([0, "3000\ntrue\n"]);
    expect(stderr).toBe(
      `appvars: can't keep or remove answers in ${join(path, "snapshots")} (ENOTDIR)\n`,
    );
  });

  it("has no effect on a data file", async () => {
    const { cache } = await cachedCli();
    const { path } = await dataFile(DATA);
    const argv = ["get", "--cache", "DATABASE_URL", "--data", path, "--env", "test"];
    expect(await runCli(argv, { cache })).toEqual({
      code: 0,
      stdout: "postgres://localhost/test\n",
      stderr: "",
    });
    expect(await filesIn(cache)).toEqual([]);
  });

  it("is refused without a secret, like get", async () => {
    const { server, get } = await cachedCli();
    expect(await get("--cache PORT", { env: { APPVARS_URL: server.url } })).toMatchObject({
      code: 4,
      stdout: "",
    });
  });
});

describe("the flag", () => {
  it.each([
    ["--cache DATABASE_URL", "postgres://localhost/dev\n"],
    ["DATABASE_URL --cache", "postgres://localhost/dev\n"],
    ["--cache=60 PORT DEBUG", "3000\ntrue\n"],
    ["PORT --cache=12h DEBUG -n", "3000\ntrue"],
    ["--cache -- PORT", "3000\n"],
  ])("get %s does not use a name as the age", async (line, stdout) => {
    const { get } = await cachedCli();
    expect(await get(line)).toEqual({ code: 0, stdout, stderr: "" });
  });

  it("--cache after -- is the name of a variable", async () => {
    const { get, cache } = await cachedCli();
    const { code, stderr } = await get("PORT -n -- --cache");
    expect([code, stderr]).toEqual([3, expect.stringContaining('"--cache"')]);
    expect(await filesIn(cache)).toEqual([]);
  });

  it.each(["0", "", "x", "1.5", "-1", "1e3", " 60", "31d", "2592001", "9".repeat(30)])(
    "--cache refuses the age %s",
    async (age) => {
      const { code, stdout, stderr } = await runCli(["get", `--cache=${age}`, "PORT"]);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("from 1 second to 30 days");
    },
  );

  it.each([
    ["1", 1],
    ["0060", 60],
    ["2592000", 2_592_000],
    ["90s", 90],
    ["12h", 43_200],
    ["30d", 2_592_000],
  ])("--cache=%s is %i seconds", (text, seconds) => {
    expect(parseCacheAge(text)).toBe(seconds);
  });
});

describe("files of the cache", () => {
  // Root may write read-only files.
  it.skipIf(process.getuid?.() === 0)("the cache can be read-only", async () => {
    const { server, cache, get } = await cachedCli();
    await get("--cache PORT");
    for (const path of await filesIn(cache)) await chmod(join(path, ".."), 0o500);
    expect(await get("--cache PORT")).toMatchObject({ code: 0, stdout: "3000\n" });
    await server.close();
    expect(await get("--cache PORT")).toMatchObject({ code: 0, stdout: "3000\n" });
  });
});

describe("--offline", () => {
  /** The same world after its server was replaced by one that only counts connections. */
  async function countedWorld() {
    const found = await cachedCli();
    await found.get("--cache PORT DATABASE_URL");
    await found.server.close();
    const counter = createTcpServer((socket) => socket.destroy()).listen(
      found.server.port,
      "127.0.0.1",
    );
    let connections = 0;
    counter.on("connection", () => connections++);
    await once(counter, "listening");
    onTestFinished(() => void counter.close());
    return { ...found, connections: () => connections };
  }

  it("prints cached values without a connection, with a note that --quiet omits", async () => {
    const { get, connections } = await countedWorld();
    const { code, stdout, stderr } = await get("--offline PORT DATABASE_URL");
    expect([code, stdout]).toEqual([0, "3000\npostgres://localhost/dev\n"]);
    expect(stderr).toMatch(/^appvars: using values from \d+ s ago\n$/);
    expect(await get("--offline PORT --quiet")).toEqual({ code: 0, stdout: "3000\n", stderr: "" });
    expect(connections()).toBe(0);
    expect(await get("PORT --max-wait 0")).toMatchObject({ code: 5 });
    expect(connections()).toBeGreaterThan(0);
  });

  it("exits 5 and says how to fill the cache, without a connection", async () => {
    const { get, connections } = await countedWorld();
    expect(await get("--offline DEBUG")).toEqual({
      code: 5,
      stdout: "",
      stderr:
        "appvars: --offline: the cache has no answer from the last 24 h for this command; " +
        "run it once with --cache while the server can be reached\n",
    });
    const clock = () => Date.now() + 2 * 3_600_000;
    expect(await get("--offline PORT", { clock })).toMatchObject({ code: 0 });
    expect(await get("--offline --cache=1h PORT", { clock })).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("from the last 60 min"),
    });
    expect(connections()).toBe(0);
  });

  it("needs no server for a data file, and is refused for a store and with --watch", async () => {
    const { env } = await cachedCli();
    const { path } = await dataFile(DATA);
    const local = await runCli([
      "get",
      "--offline",
      "PORT",
      "--data",
      path,
      "--env",
      "shop/development",
    ]);
    expect(local).toMatchObject({ code: 0, stderr: "" });
    const store = await runCli(["get", "--offline", "PORT", "--store", "etcd://127.0.0.1:1"]);
    expect([store.code, store.stderr]).toEqual([
      2,
      expect.stringContaining("a store is read over the network"),
    ]);
    const watched = await runCli(["run", "--offline", "--watch", "--", "true"], { env });
    expect([watched.code, watched.stderr]).toEqual([
      2,
      expect.stringContaining("cannot be used with option '--watch"),
    ]);
  });
});
