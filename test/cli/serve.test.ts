import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { runningServer } from "../support/running-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** Runs `serve` on a free port; once it has told where, calls `use` with that, and then stops it. */
async function serving(argv: string[], use: (settings: Record<string, string>) => Promise<void> = async () => {}) {
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  let used: Promise<void> | undefined;
  const onStdout = (text: string) => {
    used ??= use(readExports(text)).finally(stop);
  };
  const result = await runCli(["serve", "--port", "0", ...argv], { untilStopped: () => stopped, onStdout });
  await used;
  return result;
}

/** The variables that the printed lines would set in a shell. */
function readExports(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
}

describe("serve", () => {
  it("serves a file and prints where, but no credentials", async () => {
    const { code, stdout } = await serving(["--data", (await dataFile(DATA)).path], async ({ APPVARS_URL }) => {
      expect((await fetch(`${APPVARS_URL}/healthz`)).status).toBe(200);
    });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^export APPVARS_URL=http:\/\/127\.0\.0\.1:\d+\n$/)]);
  });

  it("prints lines with which the client gets in, when told for which environment", async () => {
    const argv = ["--data", (await dataFile(DATA)).path, "--print-credentials", "shop/development"];
    const { stderr } = await serving(argv, async (env) => {
      expect(await runCli(["get", "PORT"], { env })).toEqual({ code: 0, stdout: "3000\n", stderr: "" });
    });
    expect(stderr).not.toContain("dev-secret");
  });

  it("makes a file where there is none, for its owner alone, and prints its credentials", async () => {
    const path = join(await temporaryFolder(), "vars.json");
    const { code } = await serving(["--data", path], async (env) => {
      expect(await runCli(["get", "PORT"], { env })).toEqual({ code: 0, stdout: "3000\n", stderr: "" });
    });
    expect([code, (await stat(path)).mode & 0o777]).toEqual([0, 0o600]);
  });

  it("prints an object with --json", async () => {
    const path = join(await temporaryFolder(), "vars.json");
    const { stdout } = await serving(["--data", path, "--json"]);
    const [{ api_key, api_secret }] = JSON.parse(await readFile(path, "utf8")).environments;
    expect(JSON.parse(stdout)).toEqual({ url: expect.stringContaining("http://127.0.0.1:"), api_key, api_secret });
  });

  it.each(["pretty", "json"])("logs a reload and a bad edit, without a value, in the form %s", async (format) => {
    const path = (await dataFile(DATA)).path;
    const argv = ["--data", path, "--log-format", format];
    const { stderr } = await serving(argv, async ({ APPVARS_URL }) => {
      const health = async () => (await fetch(`${APPVARS_URL}/healthz`)).text();
      await writeFile(path, '{ "hunter2": "hunter2" "');
      await expect.poll(health).toContain("is not valid JSON");
      await writeFile(path, JSON.stringify(DATA));
      await expect.poll(health).toContain('"message":"OK"');
    });
    expect(stderr).toContain("is not valid JSON: line 1, column 24");
    expect(stderr).toContain(`${path} has changed and was read again`);
    expect(stderr).not.toContain("hunter2");
    const isJson = (line: string) => line.startsWith('{"time":"');
    expect(stderr.trim().split("\n").every(isJson)).toBe(format === "json");
  });

  it("logs each request with --verbose, without its query and the secret", async () => {
    const { stderr } = await serving(["--verbose", "--data", (await dataFile(DATA)).path], async ({ APPVARS_URL }) => {
      const headers = { "x-api-key": "dev-key", "x-api-secret": "dev-secret" };
      await (await fetch(`${APPVARS_URL}/v1/variables?limit=2`, { headers })).text();
    });
    expect(stderr).toMatch(/ GET \/v1\/variables 200 in \d+ ms\n/);
    expect(stderr).not.toContain("dev-secret");
  });

  it("warns of a file that others may read", async () => {
    const path = (await dataFile(DATA)).path;
    await chmod(path, 0o644);
    expect((await serving(["--data", path])).stderr).toContain(`chmod 600 ${path}`);
  });

  it("warns when other machines may reach it, and only then", async () => {
    const data = (await dataFile(DATA)).path;
    expect((await serving(["--data", data, "--host", "0.0.0.0"])).stderr).toContain("without TLS");
    expect((await serving(["--data", data])).stderr).not.toContain("without TLS");
  });

  it("exits with 1 and says how to go on when the port is in use", async () => {
    const { port } = await runningServer();
    const { code, stdout, stderr } = await runCli([
      "serve",
      "--data",
      (await dataFile(DATA)).path,
      "--port",
      String(port),
    ]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`port ${port} on 127.0.0.1 is in use: choose another with --port, or 0 for a free one`);
  });

  it.each([
    ["--port", "65536"],
    ["--port", "-1"],
    ["--rate-limit", "1.5"],
    ["--rate-window", "0"],
    ["--log-format", "xml"],
  ])("refuses %s %s with exit code 2", async (flag, value) => {
    const { code, stderr } = await runCli(["serve", flag, value]);
    expect(code).toBe(2);
    expect(stderr).toContain(flag);
  });

  it("hands its limits to the server", async () => {
    const argv = ["--data", (await dataFile(DATA)).path, "--rate-limit", "3", "--rate-window", "7"];
    await serving(argv, async ({ APPVARS_URL }) => {
      const { headers } = await fetch(`${APPVARS_URL}/healthz`);
      expect([headers.get("RateLimit-Limit"), headers.get("RateLimit-Reset")]).toEqual(["3", "7"]);
    });
  });
});
