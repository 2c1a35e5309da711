import { once } from "node:events";
import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { listProcesses } from "../../src/kit/process/process-tree.js";
import { BINARY, run, runScript, start } from "../support/binary.js";
import { runCli } from "../support/cli.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const sandbox = (args: readonly string[], env?: Record<string, string>) =>
  run(process.execPath, [BINARY, "sandbox", ...args], env);

/** The client of appvars. */
const CLIENT = [process.execPath, BINARY];

/** A sandbox whose command has printed the URL, and runs until its stdin ends. */
async function waitingSandbox(options: string[], env = {}, script = 'echo "$APPVARS_URL"; cat') {
  const child = start(
    process.execPath,
    [BINARY, "sandbox", ...options, "--", "sh", "-c", script],
    env,
  );
  const exit = once(child, "exit") as Promise<[code: number | null, signal: string | null]>;
  const [url] = (await once(createInterface(child.stdout as Readable), "line")) as [string];
  const end = async () => {
    child.stdin?.end();
    return (await exit)[0];
  };
  return { child, url, exit, end };
}

/** A sandbox whose command waits for a child, and forwards no signal to it. */
async function wrapped() {
  const script = `sh -c 'echo $$ >&2; echo "$APPVARS_URL"; exec sleep 1000'; echo not reached >&2`;
  const { child } = await waitingSandbox([], {}, script);
  let text = "";
  child.stderr?.on("data", (chunk) => {
    text += chunk;
  });
  while (!text.includes("\n")) await once(child.stderr as Readable, "data");
  const innerPid = Number.parseInt(text, 10);
  onTestFinished(() => {
    if (isRunning(innerPid)) process.kill(innerPid, "SIGKILL");
  });
  return { child, innerPid, output: () => text };
}

function isRunning(id: number): boolean {
  return listProcesses().some(({ pid }) => pid === id);
}

async function isRefused(url: string): Promise<boolean> {
  return fetch(url).then(
    () => false,
    (error) => error.cause.code === "ECONNREFUSED",
  );
}

describe("the command in a sandbox", () => {
  it("a command in a sandbox reads the example data of development, and the sandbox prints nothing", async () => {
    const script = 'appvars sandbox -- sh -c \'"$NODE" "$BINARY" get DATABASE_URL PORT\'';
    expect(await runScript(script)).toEqual({
      code: 0,
      stdout: "postgres://localhost/dev\n3000\n",
      stderr: "",
    });
  });

  it("a command in a sandbox gets its flags untouched, even those that appvars has too", async () => {
    const words = ["--json", "--help", "--latency", "x", "-q", "--", "--version", "-- "];
    const { code, stdout, stderr } = await sandbox([
      "--",
      "sh",
      "-c",
      'printf "<%s>" "$@"',
      "sh",
      ...words,
    ]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: words.map((word) => `<${word}>`).join(""),
      stderr: "",
    });
  });

  it("a command in a sandbox gets its flags untouched after options of the sandbox", async () => {
    const argv = [
      "--clock-skew",
      "-5",
      "--fail-rate=0",
      "--",
      "sh",
      "-c",
      'printf "<%s>" "$@"',
      "sh",
      "--json",
      "-V",
    ];
    expect(await sandbox(argv)).toEqual({ code: 0, stdout: "<--json><-V>", stderr: "" });
  });

  it("a command in a sandbox reads stdin", async () => {
    expect((await runScript("echo hello | appvars sandbox -- cat")).stdout).toBe("hello\n");
  });

  it("each sandbox has new credentials", async () => {
    const credentials = async () => {
      const { stdout } = await sandbox([
        "--",
        "sh",
        "-c",
        'echo "$APPVARS_API_KEY $APPVARS_API_SECRET"',
      ]);
      expect(stdout).toMatch(/^[0-9a-f]{32} [0-9a-f]{64}\n$/);
      return stdout;
    };
    expect(await credentials()).not.toBe(await credentials());
  });

  it("a sandbox overrides the settings in the environment, and keeps all other variables", async () => {
    const misleading = {
      APPVARS_URL: "http://127.0.0.1:1",
      APPVARS_API_KEY: "prod-key",
      APPVARS_API_SECRET: "prod-secret",
      APPVARS_DATA: "/nowhere/vars.json",
      APPVARS_ENV: "production",
      APPVARS_PROFILE: "production",
      APPVARS_AUTH: "nonsense",
      APPVARS_CA_FILE: "/nowhere/ca.pem",
    };
    const kept = {
      APPVARS_ENC_KEY: "key",
      APPVARS_TIMEOUT: "9",
      APPVARS_MAX_WAIT: "8",
      OTHER: "x",
    };
    const env = { ...misleading, ...kept };
    const print = "console.log(JSON.stringify(process.env))";
    const { stdout } = await sandbox(["--", process.execPath, "-e", print], env);
    const { PATH: _, ...childEnv } = JSON.parse(stdout);
    expect(childEnv).toMatchObject({
      ...kept,
      APPVARS_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d{4,}$/),
    });
    const names = [
      ...Object.keys(kept),
      "HOME",
      "APPVARS_URL",
      "APPVARS_API_KEY",
      "APPVARS_API_SECRET",
    ];
    expect(
      Object.keys(childEnv)
        .filter((name) => !name.startsWith("_"))
        .sort(),
    ).toEqual(names.sort());
    expect(stdout).not.toContain("prod-");
    expect(await sandbox(["--", ...CLIENT, "get", "PORT"], env)).toMatchObject({
      code: 0,
      stdout: "3000\n",
    });
  });
});

describe("a data file in a sandbox", () => {
  const ROTATED = {
    api_key: "old-key",
    api_secret: "old-secret",
    valid_until: "2999-01-01T00:00:00.000Z",
  };
  const [first, ...others] = DATA.environments;
  const WITH_ROTATED = { ...DATA, environments: [{ ...first, previous: [ROTATED] }, ...others] };
  const PAIRS = [...DATA.environments, ROTATED];

  it("a sandbox serves a data file without changing it", async () => {
    const { path } = await dataFile(WITH_ROTATED);
    const before = await readFile(path);
    const argv = ["--data", path, "--env", "shop/development", "--", ...CLIENT, "get", "FLAGS"];
    expect(await sandbox(argv)).toEqual({
      code: 0,
      stdout: '{"beta":["x",null,1.5]}\n',
      stderr: "",
    });
    expect(await readFile(path)).toEqual(before);
    expect(await readdir(dirname(path))).toEqual(["vars.json"]);
  });

  it("a sandbox does not pass on the credentials of a data file", async () => {
    const { path } = await dataFile(WITH_ROTATED);
    const { stdout } = await sandbox(["--data", path, "--env", "test", "--", "env"]);
    expect(stdout).toContain("APPVARS_API_SECRET=");
    for (const { api_key, api_secret } of PAIRS) {
      expect(stdout).not.toContain(api_key);
      expect(stdout).not.toContain(api_secret);
    }
  });

  it("a sandbox rejects the credentials of its data file", async () => {
    const { path } = await dataFile(WITH_ROTATED);
    const { url, end } = await waitingSandbox(["--data", path, "--env", "test"]);
    for (const { api_key, api_secret } of PAIRS) {
      const headers = { "x-api-key": api_key, "x-api-secret": api_secret };
      expect((await fetch(`${url}/v1/variables`, { headers })).status).toBe(401);
    }
    expect(await end()).toBe(0);
  });

  it.each([
    ["the only environment", [{ ...first, name: "staging" }], [], "postgres://localhost/dev\n"],
    [
      "development, where there are others",
      DATA.environments.slice(0, 3),
      [],
      "postgres://localhost/dev\n",
    ],
    ["the one that is named", DATA.environments, ["--env", "test"], "postgres://localhost/test\n"],
  ])("a sandbox chooses %s", async (_which, environments, flags, value) => {
    const ids = environments.map(({ id }) => id);
    const values = DATA.values.filter(({ environment_id }) => ids.includes(environment_id));
    const { path } = await dataFile({ ...DATA, environments, values });
    const { stdout } = await sandbox([
      "--data",
      path,
      ...flags,
      "--",
      ...CLIENT,
      "get",
      "DATABASE_URL",
    ]);
    expect(stdout).toBe(value);
  });
});

describe("nothing is started", () => {
  const SHOP = { ...DATA, environments: DATA.environments.slice(1, 3), values: [] };
  const ECHO = ["--", "echo", "started"];

  it.each([
    [2, "no command", [], "missing required argument 'command'"],
    [2, "a bad latency", ["--latency", "soon", ...ECHO], "It must be milliseconds"],
    [2, "a bad share", ["--fail-rate", "20", ...ECHO], "It must be a share from 0 to 1"],
    [2, "a bad skew", ["--clock-skew", "1h", ...ECHO], "It must be whole seconds"],
    [2, "an unknown flag", ["--fail-rat", "1", ...ECHO], "(did you mean --fail-rate?)"],
    [3, "a missing environment", ["--env", "staging", ...ECHO], 'no environment named "staging"'],
    [8, "a missing data file", ["--data", "/nowhere/vars.json", ...ECHO], "/nowhere/vars.json"],
    [2, "a data file without a name", ["--data", "", ...ECHO], "--data must not be empty"],
  ])("sandbox exits %i and starts nothing for %s", async (code, _what, argv, message) => {
    expect(await sandbox(argv)).toEqual({
      code,
      stdout: "",
      stderr: expect.stringContaining(message),
    });
  });

  it.each([
    ["none of them is called development", SHOP, "shop/test, shop/production"],
    ["two of them are", DATA, "shop/development, shop/test, shop/production, billing/development"],
  ])("sandbox lists the environments when %s", async (_what, data, choices) => {
    const { path } = await dataFile(data);
    const stderr = `appvars: which environment? add --env with one of ${choices}\n`;
    expect(await sandbox(["--data", path, ...ECHO])).toEqual({ code: 2, stdout: "", stderr });
  });

  it("sandbox --json prints errors as JSON", async () => {
    const { code, stderr } = await sandbox(["--json", "--env", "staging", ...ECHO]);
    expect([code, JSON.parse(stderr).error.code]).toEqual([3, "not_found"]);
  });
});

describe("faults that our own client meets", () => {
  it.each([
    [5, "a latency above its timeout", ["--latency", "5000-6000"], "--timeout 0.1"],
    [7, "a server that always fails", ["--fail-rate", "1"], ""],
    [4, "a clock that is ahead", ["--clock-skew", "400"], ""],
    [4, "a clock that is behind", ["--clock-skew", "-400"], ""],
  ])("a client in a sandbox exits %i with %s", async (code, _what, faults, flags) => {
    const get = `"$0" "$1" get PORT --max-wait 0 ${flags}`;
    expect(await sandbox([...faults, "--", "sh", "-c", get, ...CLIENT])).toMatchObject({
      code,
      stdout: "",
    });
  });

  it("a client in a sandbox exits 6 once the rate limit is exceeded", async () => {
    const get = '"$0" "$1" get PORT --max-wait 0';
    const argv = ["--rate-limit", "1/1000s", "--", "sh", "-c", `${get} && ${get}`, ...CLIENT];
    expect(await sandbox(argv)).toMatchObject({ code: 6, stdout: "3000\n" });
  });
});

describe("the end of the command", () => {
  it.each([
    ["0", 0, ["true"]],
    ["the code of the command", 7, ["sh", "-c", "exit 7"]],
    ["128 + 9 when it was killed", 137, ["sh", "-c", "kill -KILL $$"]],
    ["128 + 15 when it was stopped", 143, ["sh", "-c", "kill -TERM $$"]],
    ["127 when the command does not exist", 127, ["appvars-no-such-command"]],
  ])("sandbox exits with %s", async (_what, code, command) => {
    expect(await sandbox(["--", ...command])).toMatchObject({ code, stdout: "" });
  });

  it("sandbox exits 126 when the command is not executable", async () => {
    const script = join(await temporaryFolder(), "script");
    await writeFile(script, "#!/bin/sh\n");
    await chmod(script, 0o600);
    expect(await sandbox(["--", script])).toMatchObject({ code: 126, stdout: "" });
  });

  it("sandbox closes its port and leaves no file behind", async () => {
    const folder = await temporaryFolder();
    const home = { TMPDIR: folder, HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder };
    // Newer versions of Node keep compiled code for the next start.
    const env = { ...home, NODE_DISABLE_COMPILE_CACHE: "1" };
    const { url, end } = await waitingSandbox([], env);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await end()).toBe(0);
    expect(await isRefused(url)).toBe(true);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    expect(entries.filter((entry) => !entry.isDirectory())).toEqual([]);
  });

  it.each(["SIGTERM", "SIGHUP"] as const)(
    "sandbox forwards %s and waits for the end of the command",
    async (signal) => {
      const script =
        'trap "cat; exit 5" TERM HUP; echo "$APPVARS_URL"; while :; do sleep 0.01; done';
      const { child, url, end } = await waitingSandbox([], {}, script);
      child.kill(signal);
      // The trap runs until stdin ends.
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      expect(await end()).toBe(5);
      expect(await isRefused(url)).toBe(true);
    },
  );

  it("sandbox exits 143 and closes its port when SIGTERM ends the command", async () => {
    const { child, url, exit } = await waitingSandbox([], {}, 'echo "$APPVARS_URL"; exec cat');
    child.kill("SIGTERM");
    expect(await exit).toEqual([143, null]);
    expect(await isRefused(url)).toBe(true);
  });

  it.each(["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const)(
    "sandbox ends the descendants of the command after %s",
    async (name) => {
      const { child, innerPid, output } = await wrapped();
      child.kill(name);
      await once(child, "close");
      await expect.poll(() => isRunning(innerPid)).toBe(false);
      expect(output()).not.toContain("not reached");
    },
  );

  it("sandbox exits without waiting for a delayed response", async () => {
    // The second connection exists once the first request has been sent.
    const ask = `
      const url = new URL(process.env.APPVARS_URL);
      require("node:http").get(url).on("error", () => {});
      require("node:net").connect(url.port, "127.0.0.1", () => process.kill(process.pid, "SIGKILL"));`;
    const argv = ["--latency", "600000", "--", process.execPath, "-e", ask];
    expect(await sandbox(argv)).toMatchObject({ code: 137 });
  });
});

describe("messages", () => {
  const SILENT = ["--", process.execPath, "-e", ""];

  it("sandbox prints one note, to a terminal only", async () => {
    const { code, stdout, stderr } = await runCli(["sandbox", ...SILENT], { terminal: true });
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(
      /^appvars: serving example data on http:\/\/127\.0\.0\.1:\d+ until the command ends\n$/,
    );
    expect(await runCli(["sandbox", ...SILENT])).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await runCli(["sandbox", "--quiet", ...SILENT], { terminal: true })).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
  });

  it("sandbox --verbose prints each request", async () => {
    const { stderr } = await sandbox([
      "--verbose",
      "--fail-rate",
      "1",
      "--",
      ...CLIENT,
      "get",
      "PORT",
      "--max-wait",
      "0",
    ]);
    expect(stderr).toMatch(
      /^appvars: GET \/v1\/variables-values-by-name\/:name\/content 503 in [\d.]+ ms$/m,
    );
  });
});
