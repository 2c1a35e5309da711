import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import { createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Data } from "../../../src/store/data.js";
import { BINARY, run } from "../../support/binary.js";
import { type CliOptions, runCli } from "../../support/cli.js";
import { DEVELOPMENT, edited } from "../../support/data.js";
import { runningServer } from "../../support/running-server.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const CREDENTIALS = { APPVARS_API_KEY: DEVELOPMENT.apiKey, APPVARS_API_SECRET: DEVELOPMENT.apiSecret };

/** A server that can be stopped, and a command line with its own cache. */
async function world() {
  const server = await runningServer();
  const cache = join(await temporaryFolder(), "cache");
  const env: Record<string, string> = { APPVARS_URL: server.url, ...CREDENTIALS };
  const get = (line: string, options: CliOptions = {}) =>
    runCli(["get", ...line.split(" ")], { env, cache, ...options });
  /** Closes the server and starts another one, with other data, on its port. */
  const replaceWith = async (data: unknown) => {
    await server.close();
    return runningServer({ data: data as Data, port: server.port });
  };
  return { server, env, cache, get, replaceWith };
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Beside it, newer versions of Node keep compiled code. */
const answersIn = (cache: string) => join(cache, "appvars", "snapshots");

describe("what is on the disk", () => {
  it.skipIf(process.platform === "win32")(
    "the cache is readable only by its owner and reveals no name, value, URL or key",
    async () => {
      const { cache, env } = await world();
      const umask = ["-c", 'umask 000; exec "$0" "$@"', process.execPath, BINARY];
      const home = { ...env, XDG_CACHE_HOME: cache, HOME: cache };
      const { code } = await run("sh", [...umask, "get", "--cache", "DATABASE_URL", "PORT"], home);
      expect(code).toBe(0);
      const paths = await filesIn(answersIn(cache));
      expect(paths).toHaveLength(1);
      for (const path of paths) {
        expect((await stat(path)).mode & 0o777).toBe(0o600);
        expect((await stat(join(path, ".."))).mode & 0o777).toBe(0o700);
        const content = await readFile(path, "latin1");
        expect(path.slice(cache.length) + content).not.toMatch(
          /DATABASE_URL|PORT|postgres|3000|127\.0\.0\.1|dev-key|dev-secret/,
        );
      }
    },
  );

  it("the cache is whole after several processes have written it concurrently", async () => {
    const { server, env, cache } = await world();
    const home = { ...env, XDG_CACHE_HOME: cache, HOME: cache };
    const names = ["PORT", "DATABASE_URL", "DEBUG", "FLAGS"];
    const get = (...args: string[]) => run(process.execPath, [BINARY, "get", "--cache", ...args], home);
    const runs = await Promise.all([...names, ...names].map((name) => get(name)));
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [0, ""]));
    expect(await filesIn(answersIn(cache))).toHaveLength(1);
    await server.close();
    // One may have replaced what another one has added meanwhile.
    const offline = await Promise.all(names.map((name) => get("--offline", name)));
    expect(offline.map(({ code }) => code)).toContain(0);
  });
});

describe("--offline", () => {
  /** The same world after its server was replaced by one that only counts connections. */
  async function _countedWorld() {
    const found = await world();
    await found.get("--cache PORT DATABASE_URL");
    await found.server.close();
    const counter = createTcpServer((socket) => socket.destroy()).listen(found.server.port, "127.0.0.1");
    let connections = 0;
    counter.on("connection", () => connections++);
    await once(counter, "listening");
    onTestFinished(() => void counter.close());
    return { ...found, connections: () => connections };
  }

  it("--offline starts a program with cached values", async () => {
    const { server, env, cache } = await world();
    const argv = (flag: string) => [BINARY, "run", flag, "--", "sh", "-c", "echo $PORT"];
    const home = { ...env, XDG_CACHE_HOME: cache };
    await run(process.execPath, argv("--cache"), home);
    await server.close();
    const { code, stdout, stderr } = await run(process.execPath, argv("--offline"), home);
    expect([code, stdout, stderr]).toEqual([0, "3000\n", expect.stringMatching(/using values from \d+ s ago\n$/)]);
  });

  it("run --cache notes of --exclude what the values in use say, not those kept from a run before", async () => {
    const { env, cache, replaceWith } = await world();
    const excluding = (name: string) => runCli(["run", "--cache", "--exclude", name, "--", "true"], { env, cache });
    const silent = { code: 0, stdout: "", stderr: "" };
    expect(await excluding("DEBUG")).toEqual(silent);
    await replaceWith(edited((data) => Object.assign(data.variables[2], { name: "NEW" })));
    expect(await excluding("NEW")).toEqual(silent);
    expect((await excluding("DEBUG")).stderr).toBe("appvars: --exclude DEBUG matches no variable\n");
  });
});
