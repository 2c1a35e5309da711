import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BINARY, run } from "../../support/binary.js";
import { cachedCli, filesIn } from "../../support/cached-cli.js";
import { runCli } from "../../support/cli.js";
import { edited } from "../../support/data.js";

/** Beside it, newer versions of Node keep compiled code. */
const answersIn = (cache: string) => join(cache, "appvars", "snapshots");

describe("files of the cache", () => {
  it.skipIf(process.platform === "win32")(
    "the cache is readable only by its owner and reveals no name, value, URL or key",
    async () => {
      const { cache, env } = await cachedCli();
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
          /DATABASE_URL|PORT|postgres|[:"]3000|127\.0\.0\.1|dev-key|dev-secret/,
        );
      }
    },
  );

  it("the cache is whole after several processes have written it concurrently", async () => {
    const { server, env, cache } = await cachedCli();
    const home = { ...env, XDG_CACHE_HOME: cache, HOME: cache };
    const names = ["PORT", "DATABASE_URL", "DEBUG", "FLAGS"];
    const get = (...args: string[]) =>
      run(process.execPath, [BINARY, "get", "--cache", ...args], home);
    const runs = await Promise.all([...names, ...names].map((name) => get(name)));
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [0, ""]));
    expect(await filesIn(answersIn(cache))).toHaveLength(1);
    await server.close();
    // One may have replaced the additions of another.
    const offline = await Promise.all(names.map((name) => get("--offline", name)));
    expect(offline.map(({ code }) => code)).toContain(0);
  });
});

describe("--offline", () => {
  it("starts a program with cached values", async () => {
    const { server, env, cache } = await cachedCli();
    const argv = (flag: string) => [BINARY, "run", flag, "--", "sh", "-c", "echo $PORT"];
    const home = { ...env, XDG_CACHE_HOME: cache };
    await run(process.execPath, argv("--cache"), home);
    await server.close();
    const { code, stdout, stderr } = await run(process.execPath, argv("--offline"), home);
    expect([code, stdout, stderr]).toEqual([
      0,
      "3000\n",
      expect.stringMatching(/using values from \d+ s ago\n$/),
    ]);
  });

  it("run --cache checks --exclude against the values in use, not those of an earlier run", async () => {
    const { env, cache, replaceWith } = await cachedCli();
    const excluding = (name: string) =>
      runCli(["run", "--cache", "--exclude", name, "--", "true"], { env, cache });
    const silent = { code: 0, stdout: "", stderr: "" };
    expect(await excluding("DEBUG")).toEqual(silent);
    await replaceWith(edited((data) => Object.assign(data.variables[2], { name: "NEW" })));
    expect(await excluding("NEW")).toEqual(silent);
    expect((await excluding("DEBUG")).stderr).toBe(
      "appvars: --exclude DEBUG matches no variable\n",
    );
  });
});
