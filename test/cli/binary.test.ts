import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { BINARY, run, runScript, start } from "../support/binary.js";
import { DATA, DEVELOPMENT } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { runningServer } from "../support/running-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

async function remote(): Promise<Record<string, string>> {
  const { url } = await runningServer();
  return { APPVARS_URL: url, APPVARS_API_KEY: DEVELOPMENT.apiKey, APPVARS_API_SECRET: DEVELOPMENT.apiSecret };
}

describe("in a script", () => {
  it("gives values to $(…)", async () => {
    const script = 'url="$(appvars get DATABASE_URL)"; port=$(appvars get -n PORT); echo "<$url> <$port>"';
    expect(await runScript(script, await remote())).toEqual({
      code: 0,
      stdout: "<postgres://localhost/dev> <3000>\n",
      stderr: "",
    });
  });

  it("ends a script under set -e with its own exit code", async () => {
    const { code, stdout } = await runScript("set -e; x=$(appvars get NOPE); echo not reached", await remote());
    expect([code, stdout]).toEqual([3, ""]);
  });

  it("tells an empty value from a missing one", async () => {
    const script =
      "if x=$(appvars get EMPTY); then echo set; fi; if x=$(appvars get UNSET); then :; else echo unset; fi";
    expect((await runScript(script, await remote())).stdout).toBe("set\nunset\n");
  });

  it("feeds read, cut and the like with one line a variable", async () => {
    const script = "appvars list | while IFS='\t' read -r name type rest; do printf '%s=%s ' \"$name\" \"$type\"; done";
    const { stdout } = await runScript(script, await remote());
    expect(stdout).toBe(
      "DATABASE_URL=STRING PORT=NUMBER DEBUG=BOOLEAN FLAGS=JSON __proto__=STRING EMPTY=STRING UNSET=STRING ",
    );
  });

  it("ends quietly when the reader of its output has seen enough", async () => {
    const variables = Array.from({ length: 5_000 }, (_, i) => ({ id: i + 1, type: "STRING", name: `V${i}` }));
    const environments = [{ id: 1, name: "test", api_key: "key", api_secret: "secret" }];
    const { path } = await dataFile({ version: 1, environments, variables, values: [] });
    const { code, stdout, stderr } = await runScript('appvars list --data "$DATA" | head -n 1', { DATA: path });
    expect([code, stdout, stderr]).toEqual([0, "V0\tSTRING\t\n", ""]);
  });

  it.skipIf(!existsSync("/dev/full"))("says so in one line when its output can't be written", async () => {
    const { code, stderr } = await runScript("appvars get PORT >/dev/full", await remote());
    expect([code, stderr]).toEqual([1, "appvars: can't write to stdout (ENOSPC)\n"]);
  });

  it("prints its version", async () => {
    const { version } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
    expect(await run(process.execPath, [BINARY, "--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });
});

describe("as any process", () => {
  it("keeps secrets where they belong when XDG_CONFIG_HOME is relative, which is to be ignored", async () => {
    const home = await temporaryFolder();
    const env = { HOME: home, XDG_CONFIG_HOME: "relative" };
    const script = 'cd "$HOME" && appvars profile add main --no-check --url http://127.0.0.1:1 && ls -A';
    expect((await runScript(script, env)).stdout.split("\n")).not.toContain("relative");
    expect(existsSync(join(home, ".config", "appvars", "profiles.json"))).toBe(true);
  });

  it("opens no debugger on SIGUSR1, as Node would", async () => {
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
    const data = join(await temporaryFolder(), "vars.json");
    const server = start(process.execPath, [BINARY, "serve", "--port", "0", "--data", data]);
    await once(createInterface(server.stdout as Readable), "line");
    server.kill(signal);
    expect(await once(server, "exit")).toEqual([0, null]);
  });

  it("goes on serving when nobody reads its log any more", async () => {
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

  it("prints lines that a shell can take in, with which the client gets in", async () => {
    const { path } = await dataFile(DATA);
    const argv = ["serve", "--port", "0", "--data", path, "--print-credentials", "shop/development"];
    const server = start(process.execPath, [BINARY, ...argv]);
    const lines: string[] = [];
    for await (const line of createInterface(server.stdout as Readable)) {
      if (lines.push(line) === 3) break;
    }
    expect((await runScript(`${lines.join("\n")}\nappvars get PORT`)).stdout).toBe("3000\n");
  });
});

describe("what a one-shot command loads", () => {
  /** The files of packages and of ours that a command line loads. */
  async function loaded(argv: readonly string[], env: Record<string, string>): Promise<string> {
    const { code, stderr } = await run(process.execPath, [BINARY, ...argv], { ...env, NODE_DEBUG: "esm,module" });
    expect(code).toBe(0);
    return stderr;
  }

  /** Only ours: the Node that runs this may itself lie in a node_modules. */
  function ourFiles(log: string): Set<string> {
    const ours = log.replaceAll(new URL("../../", import.meta.url).pathname, "./");
    return new Set(ours.match(/\.\/(node_modules|dist)\/[\w/.@-]+/g));
  }

  it("for get from a server is the one file that the command starts with, and no package", async () => {
    expect(ourFiles(await loaded(["get", "PORT"], await remote()))).toEqual(new Set(["./dist/cli/start.cjs"]));
  });

  it("for a completion from a server is that file too, and for one from a data file no ink, react, polka or lowdb", async () => {
    const names = ["__complete", "names", "PO"];
    expect(ourFiles(await loaded(names, await remote()))).toEqual(new Set(["./dist/cli/start.cjs"]));
    const { path } = await dataFile(DATA);
    const files = [...ourFiles(await loaded([...names, "--data", path], {}))];
    expect(files).toContain("./dist/store/parse-data.js");
    expect(files.join("\n")).not.toMatch(/ink|react|polka|lowdb|commander/);
  });

  it("in that file is no ink, react, polka, lowdb or validator, and nothing that uses them", async () => {
    const bundle = await readFile(new URL("../../dist/cli/start.cjs", import.meta.url), "utf8");
    const parts = [...bundle.matchAll(/^\/\/ ((?:src|node_modules)\/.*)$/gm)].map(([, path]) => path ?? "");
    expect(parts).toContain("src/client/client.ts");
    const packages = new Set(parts.flatMap((path) => /^node_modules\/([\w.-]+)/.exec(path)?.[1] ?? []));
    const allowed = ["env-paths", "fastest-levenshtein", "is-safe-filename"];
    expect([...packages].filter((name) => !allowed.includes(name))).toEqual([]);
    expect(packages).toContain("env-paths");
    expect(parts.join("\n")).not.toMatch(/src\/(server|service|store|tui|formats)\//);
    // A require at its top would load a package each time; those in functions only at need.
    const required = [...bundle.matchAll(/require\("(.*?)"\)/g)].flatMap(([, name]) => name ?? []);
    expect(required.filter((name) => !name.startsWith("node:"))).toEqual([]);
  });
});
