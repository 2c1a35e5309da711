import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { looseMode } from "../../../src/kit/files/owners.js";
import { createToken } from "../../../src/kit/process/process-token.js";
import { BINARY, run, runScript, start } from "../../support/binary.js";
import { DATA } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { serverEnvironment } from "../../support/running-server.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

describe("in a script", () => {
  it("get works in $(…)", async () => {
    const script =
      'url="$(appvars get DATABASE_URL)"; port=$(appvars get -n PORT); echo "<$url> <$port>"';
    expect(await runScript(script, await serverEnvironment())).toEqual({
      code: 0,
      stdout: "<postgres://localhost/dev> <3000>\n",
      stderr: "",
    });
  });

  it("a failing get ends a script under set -e with its exit code", async () => {
    const { code, stdout } = await runScript(
      "set -e; x=$(appvars get NOPE); echo not reached",
      await serverEnvironment(),
    );
    expect([code, stdout]).toEqual([3, ""]);
  });

  it("get distinguishes an empty value from a missing one", async () => {
    const script =
      "if x=$(appvars get EMPTY); then echo set; fi; if x=$(appvars get UNSET); then :; else echo unset; fi";
    expect((await runScript(script, await serverEnvironment())).stdout).toBe("set\nunset\n");
  });

  it("list prints one line per variable, for read and cut", async () => {
    const script =
      "appvars list | while IFS='\t' read -r name type rest; do printf '%s=%s ' \"$name\" \"$type\"; done";
    const { stdout } = await runScript(script, await serverEnvironment());
    expect(stdout).toBe(
      "DATABASE_URL=STRING PORT=NUMBER DEBUG=BOOLEAN FLAGS=JSON __proto__=STRING EMPTY=STRING UNSET=STRING ",
    );
  });

  it("list exits quietly when the reader closes the pipe", async () => {
    const variables = Array.from({ length: 5_000 }, (_, i) => ({
      id: i + 1,
      type: "STRING",
      name: `V${i}`,
    }));
    const environments = [{ id: 1, name: "test", api_key: "key", api_secret: "secret" }];
    const { path } = await dataFile({ version: 1, environments, variables, values: [] });
    const { code, stdout, stderr } = await runScript('appvars list --data "$DATA" | head -n 1', {
      DATA: path,
    });
    expect([code, stdout, stderr]).toEqual([0, "V0\tSTRING\t\n", ""]);
  });

  it.skipIf(!existsSync("/dev/full"))(
    "says so in one line when its output can't be written",
    async () => {
      const { code, stderr } = await runScript(
        "appvars get PORT >/dev/full",
        await serverEnvironment(),
      );
      expect([code, stderr]).toEqual([1, "appvars: can't write to stdout (ENOSPC)\n"]);
    },
  );

  it("appvars prints its version", async () => {
    const { version } = JSON.parse(
      await readFile(new URL("../../../package.json", import.meta.url), "utf8"),
    );
    expect(await run(process.execPath, [BINARY, "--version"])).toEqual({
      code: 0,
      stdout: `${version}\n`,
      stderr: "",
    });
  });
});

describe("as any process", () => {
  it("a relative XDG_CONFIG_HOME is ignored: no secret is written to the current folder", async () => {
    const home = await temporaryFolder();
    const env = { HOME: home, XDG_CONFIG_HOME: "relative" };
    const script =
      'cd "$HOME" && appvars profile add main --no-check --url http://127.0.0.1:1 && ls -A';
    expect((await runScript(script, env)).stdout.split("\n")).not.toContain("relative");
    expect(existsSync(join(home, ".config", "appvars", "profiles.json"))).toBe(true);
  });

  it("SIGUSR1 does not open Node's debugger", async () => {
    const { path } = await dataFile(DATA);
    const server = start(process.execPath, [BINARY, "serve", "--port", "0", "--data", path]);
    const log = text(server.stderr as Readable);
    const [line] = await once(createInterface(server.stdout as Readable), "line");
    server.kill("SIGUSR1");
    expect((await fetch(`${line.split("=")[1]}/healthz`)).status).toBe(200);
    server.kill("SIGTERM");
    expect(await log).not.toContain("Debugger");
  });
});

describe("serve as a process", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("stops on %s with exit code 0", async (signal) => {
    const { path } = await dataFile(DATA);
    const server = start(process.execPath, [BINARY, "serve", "--port", "0", "--data", path]);
    await once(createInterface(server.stdout as Readable), "line");
    server.kill(signal);
    expect(await once(server, "exit")).toEqual([0, null]);
  });

  it("serve keeps serving when its log has no reader any more", async () => {
    const { path, write } = await dataFile(DATA);
    const server = start(process.execPath, [BINARY, "serve", "--port", "0", "--data", path]);
    server.stderr?.destroy();
    const [line] = await once(createInterface(server.stdout as Readable), "line");
    const health = async () => (await fetch(`${line.split("=")[1]}/healthz`)).status;
    await write("{");
    await expect.poll(health, { timeout: 10_000 }).toBe(503);
    await write(DATA);
    await expect.poll(health, { timeout: 10_000 }).toBe(200);
  });

  it("list exits like a program ended by SIGPIPE when its stdout has no reader", async () => {
    const { path } = await dataFile(DATA);
    const list = start(process.execPath, [
      BINARY,
      "list",
      "--data",
      path,
      "--env",
      "shop/development",
    ]);
    list.stdout?.destroy();
    expect(await once(list, "exit")).toEqual([141, null]);
  });

  it("serve keeps serving when its stdout has no reader", async () => {
    const { path } = await dataFile(DATA);
    const server = start(process.execPath, [BINARY, "serve", "--port", "0", "--data", path]);
    server.stdout?.destroy();
    let url: string | undefined;
    for await (const line of createInterface(server.stderr as Readable)) {
      [url] = /http:\S+/.exec(line) ?? [];
      if (url) break;
    }
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    server.kill("SIGTERM");
    expect(await once(server, "exit")).toEqual([0, null]);
  });

  it("serve and env credentials print export lines with which the client can connect", async () => {
    const { path } = await dataFile(DATA);
    const server = start(process.execPath, [BINARY, "serve", "--port", "0", "--data", path]);
    const [line] = await once(createInterface(server.stdout as Readable), "line");
    const script = `${line}\neval "$(appvars env credentials shop/development --data ${path})"\nappvars get PORT`;
    expect((await runScript(script)).stdout).toBe("3000\n");
  });
});

describe("files that a one-shot command loads", () => {
  /** The files that a command line loads, those of packages included. */
  async function loaded(
    argv: readonly string[],
    env: Record<string, string>,
    expected = 0,
  ): Promise<string> {
    const { code, stderr } = await run(process.execPath, [BINARY, ...argv], {
      ...env,
      NODE_DEBUG: "esm,module",
    });
    expect(code).toBe(expected);
    return stderr;
  }

  /** Only ours: the Node that runs this may itself lie in a node_modules. */
  function ourFiles(log: string): Set<string> {
    const ours = log.replaceAll(new URL("../../../", import.meta.url).pathname, "./");
    // The compile cache is of newer versions of Node.
    return new Set(ours.match(/\.\/(node_modules|dist)\/(?!cli\/compile-cache)[\w/.@-]+\.\w+/g));
  }

  const START = ["./dist/cli/start.cjs", "./dist/cli/rolldown-runtime.cjs"];
  const READ = "./dist/cli/read.cjs";
  const LOCAL = "./dist/cli/local.cjs";

  it("--version and an unknown command load only the start, and help no command", async () => {
    expect(ourFiles(await loaded(["--version"], {}))).toEqual(new Set(START));
    expect(ourFiles(await loaded(["gte"], {}, 2))).toEqual(new Set(START));
    expect(ourFiles(await loaded(["--help"], {}))).toEqual(
      new Set([...START, READ, "./dist/cli/main.cjs"]),
    );
  });

  it("get loads only the start and what reads local data, and run does not load commander", async () => {
    const { path } = await dataFile(DATA);
    const local = ["--data", path, "--env", "shop/development"];
    expect(ourFiles(await loaded(["get", "PORT"], await serverEnvironment()))).toEqual(
      new Set([...START, READ]),
    );
    expect(ourFiles(await loaded(["get", "PORT", ...local], {}))).toEqual(
      new Set([...START, READ, LOCAL]),
    );
    const words = ["run", ...local, "--", "true"];
    expect(ourFiles(await loaded(words, {}))).toEqual(
      new Set([...START, READ, LOCAL, "./dist/cli/run.cjs"]),
    );
  });

  it.each(["start", "read", "local"])(
    "%s.cjs has no commander, polka or lowdb, and loads modules of rare calls on demand",
    async (name) => {
      const code = await readFile(
        new URL(`../../../dist/cli/${name}.cjs`, import.meta.url),
        "utf8",
      );
      expect(code).not.toMatch(/(Command|Polka|Low) = class|safeParse/);
      const required = [...code.matchAll(/^(?:let|const) \w+ = require\("(.*?)"\)/gm)].map(
        ([, module]) => module,
      );
      expect(required).toContain("node:fs");
      for (const module of ["child_process", "http", "crypto", "v8", "fs/promises"])
        expect(required).not.toContain(`node:${module}`);
    },
  );
});

it.skipIf(process.platform === "win32")(
  "keeps compiled code only in a folder that other users can't write",
  async () => {
    const cache = await temporaryFolder();
    const bundle = new URL("../../../dist/cli/compile-cache.cjs", import.meta.url).pathname;
    const script = `require(${JSON.stringify(bundle)}).keepCompiled((folder) => console.error(folder))`;
    const folders = async () =>
      (await run(process.execPath, ["-e", script], { XDG_CACHE_HOME: cache })).stderr;
    expect(await folders()).toBe(`${join(cache, "appvars", "compiled")}\n`);
    await chmod(join(cache, "appvars"), 0o777);
    expect(await folders()).toBe("");
  },
);

it.skipIf(process.platform === "win32").each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s ends a command that writes a data file once it has removed the lock and the new file",
  async (signal) => {
    const { path } = await dataFile(DATA);
    const preload = join(await temporaryFolder(), "preload.mjs");
    // Tells that the new file is there, and goes on after the signal.
    await writeFile(
      preload,
      `import { promises } from "node:fs";
      import { syncBuiltinESMExports } from "node:module";
      const { open } = promises;
      promises.open = async (...args) => {
        const file = await open(...args);
        if (!/json\\.\\w+\\.tmp$/.test(args[0])) return file;
        process.stderr.write("writing");
        const alive = setInterval(() => {}, 1_000);
        await new Promise((resolve) => process.once("${signal}", () => setImmediate(resolve)));
        clearInterval(alive);
        return file;
      };
      syncBuiltinESMExports();`,
    );
    const before = await readFile(path);
    const set = ["set", "PORT", "1", "--env", "shop/development", "--data"];
    const child = start(process.execPath, ["--import", preload, BINARY, ...set, path]);
    const ended = once(child, "close");
    await once(child.stderr as Readable, "data");
    expect(await readdir(dirname(path))).toHaveLength(3);
    child.kill(signal);
    expect(await ended).toEqual([null, signal]);
    expect(await readdir(dirname(path))).toEqual(["vars.json"]);
    expect(await readFile(path)).toEqual(before);
  },
);

const IN_MOUNTS_OF_ITS_OWN = ["--map-root-user", "--mount", "sh", "-c"];
const canMount =
  spawnSync("unshare", [...IN_MOUNTS_OF_ITS_OWN, "mount -t tmpfs none /mnt"]).status === 0;

it.skipIf(!canMount)(
  "a data file that is a mount point is not changed, and the error says to mount its folder",
  async () => {
    const { path } = await dataFile(DATA);
    const source = await dataFile(DATA);
    const before = await readFile(path);
    const script =
      'mount --bind "$1" "$2" && exec "$3" "$4" set PORT 1 --env shop/development --data "$2"';
    const args = [script, "sh", source.path, path, process.execPath, BINARY];
    const { code, stderr } = await run("unshare", [...IN_MOUNTS_OF_ITS_OWN, ...args]);
    const reason = "can't be replaced because it is a mount point: mount its folder instead";
    expect([code, stderr]).toEqual([8, `appvars: ${path} ${reason}\n`]);
    for (const { path: name } of [{ path }, source]) expect(await readFile(name)).toEqual(before);
    expect(await readdir(dirname(path))).toEqual(["vars.json", "vars.json.history.jsonl"]);
  },
);

const UNKNOWN_AUTHOR = 65_534;
const AS_NOBODY = [
  "--reuid",
  `${UNKNOWN_AUTHOR}`,
  "--regid",
  `${UNKNOWN_AUTHOR}`,
  "--clear-groups",
  "env",
  process.execPath,
  BINARY,
];
/** Whether another user may run this Node and this program, which may lie in root's home. */
const canBeNobody =
  process.getuid?.() === 0 && spawnSync("setpriv", [...AS_NOBODY, "--version"]).status === 0;

describe.skipIf(!canBeNobody)("a lock that root has made on another user's file", () => {
  const locked = async () => {
    const { path } = await dataFile(DATA);
    const folder = dirname(path);
    for (const owned of [path, folder]) await chown(owned, UNKNOWN_AUTHOR, UNKNOWN_AUTHOR);
    await mkdir(`${path}.lock`, 0o755);
    await writeFile(join(`${path}.lock`, createToken()), "");
    const set = () =>
      run("setpriv", [
        ...AS_NOBODY,
        "set",
        "PORT",
        "1",
        "--data",
        path,
        "--env",
        "shop/development",
      ]);
    return { folder, lockPath: `${path}.lock`, set };
  };

  it("a lock that root created on another user's file is waited for", async () => {
    const { folder, lockPath, set } = await locked();
    const done = set();
    // The third is the lock of the waiting command, beside its place.
    await expect.poll(() => readdir(folder)).toHaveLength(3);
    await rm(lockPath, { recursive: true });
    expect(await done).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

it("npm start begins by making its example private, so that serve has nothing to warn of", async () => {
  await chmod("data/example.json", 0o644);
  expect(await run("npm", ["run", "--silent", "prestart"])).toMatchObject({ code: 0 });
  expect(looseMode("data/example.json")).toBeUndefined();
});
