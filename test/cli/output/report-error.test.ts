import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runCli } from "../../support/cli.js";
import { CREDENTIALS, DATA } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { runningServer } from "../../support/running-server.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

/** A server that gives every request this answer, and counts them. */
async function fixedAnswer(status: number, headers: Record<string, string>, body: string) {
  let requests = 0;
  const server = createServer((_req, res) => {
    requests++;
    res.writeHead(status, headers).end(body);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
  };
}

it.each([
  ["an unknown command", ["lst"], "unknown command 'lst' (did you mean list?)"],
  ["an unknown flag", ["list", "--vales"], "unknown option '--vales' (did you mean --values?)"],
  ["a missing argument", ["get"], "missing required argument 'name'"],
  ["one argument too many", ["list", "x"], "too many arguments for 'list'"],
  [
    "a bad argument",
    ["list", "--type", "text"],
    "It must be one of STRING, NUMBER, BOOLEAN, JSON.",
  ],
  ["a bad setting", ["list", "--timeout", "x"], "--timeout must be a number of seconds"],
  [
    "a missing secret file",
    ["list", "--api-secret-file", "/nowhere/x"],
    "--api-secret-file /nowhere/x can't be read",
  ],
  ["an empty secret on stdin", ["list", "--api-secret-file", "-"], "there is no secret in it"],
  [
    "a secret that no header can hold",
    ["sign", "GET", "/", "--api-secret-file", "-"],
    "API secret must be",
    "a\nb",
  ],
])("exit code is 2 for %s", async (_what, argv, message, stdin = "") => {
  const { code, stdout, stderr } = await runCli(argv, { stdin });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(message);
});

it("exit code is 2 and the help on stderr when no command is named", async () => {
  const { code, stdout, stderr } = await runCli([]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^Usage: appvars.*\bserve\b.*\bsign\b/s);
});

it("exit code is 2 for an environment that is ambiguous or not named, listing the choices", async () => {
  const data = (await dataFile(DATA)).path;
  expect(await runCli(["list", "--data", data, "--env", "development"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("shop/development, billing/development"),
  });
  expect(await runCli(["list", "--data", data])).toMatchObject({ code: 2 });
});

it("exit code is 3 for a missing environment", async () => {
  const { code } = await runCli([
    "list",
    "--data",
    (await dataFile(DATA)).path,
    "--env",
    "staging",
  ]);
  expect(code).toBe(3);
});

it.each([
  ["no secret", {}],
  ["a wrong secret", { ...CREDENTIALS, APPVARS_API_SECRET: "wrong" }],
  ["another environment's key", { ...CREDENTIALS, APPVARS_API_KEY: "test-key" }],
  ["no key with --auth headers", { APPVARS_API_SECRET: "dev-secret", APPVARS_AUTH: "headers" }],
])("exit code is 4 for %s", async (_what, credentials) => {
  const { url } = await runningServer();
  const { code, stdout, stderr } = await runCli(["get", "PORT"], {
    env: { APPVARS_URL: url, ...credentials },
  });
  expect([code, stdout]).toEqual([4, ""]);
  expect(stderr).not.toContain("wrong");
});

it("exit code is 5 when the server can't be reached, after one line about trying again", async () => {
  const { url, close } = await runningServer();
  await close();
  const env = { APPVARS_URL: url, ...CREDENTIALS, APPVARS_MAX_WAIT: "0.5" };
  const { code, stdout, stderr } = await runCli(["get", "PORT"], { env });
  expect([code, stdout]).toEqual([5, ""]);
  expect(stderr.trim().split("\n")).toEqual([
    `appvars: trying again: can't reach ${url} (APPVARS_URL): connection refused; is the server running?`,
    `appvars: can't reach ${url} (APPVARS_URL): connection refused; is the server running?`,
  ]);
});

it("an error about a server that can't be reached says where its URL is from", async () => {
  const [folder, config] = [await temporaryFolder(), await temporaryFolder()];
  const { url, close } = await runningServer();
  await close();
  const options = {
    env: { ...CREDENTIALS, APPVARS_MAX_WAIT: "0", APPVARS_ALLOW_PROJECT: "1" },
    cwd: folder,
    config,
  };
  const told = async () => (await runCli(["get", "PORT"], options)).stderr;
  const profiles = JSON.stringify({ version: 1, current: "mine", profiles: { mine: { url } } });
  await writeFile(join(config, "profiles.json"), profiles, { mode: 0o600 });
  expect(await told()).toContain(`can't reach ${url} (url of profile mine): connection refused`);
  await writeFile(join(folder, ".appvars.json"), JSON.stringify({ url }), { mode: 0o600 });
  expect(await told()).toContain(
    `can't reach ${url} (url in ${join(folder, ".appvars.json")}): connection refused`,
  );
});

it("exit code is 5 when the server does not answer in time", async () => {
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  onTestFinished(() => silent.closeAllConnections());
  onTestFinished(() => void silent.close());
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const argv = ["get", "PORT", "--timeout", "0.05", "--max-wait", "0"];
  const { code, stderr } = await runCli(argv, { env: { APPVARS_URL: url, ...CREDENTIALS } });
  expect([code, stderr]).toEqual([
    5,
    `appvars: can't reach ${url} (APPVARS_URL): no answer within 0.05 s\n`,
  ]);
});

it("exit code is 6 at once when the server asks for a longer wait than --max-wait", async () => {
  const { url, requests } = await fixedAnswer(
    429,
    { "Retry-After": "30" },
    '{"message":"Too many requests"}',
  );
  const { code } = await runCli(["get", "PORT", "--max-wait", "2"], {
    env: { APPVARS_URL: url, ...CREDENTIALS },
  });
  expect([code, requests()]).toEqual([6, 1]);
});

it.each([
  ["500", 500, { "content-type": "application/json" }, '{"message":"Internal server error"}'],
  ["a redirect, which it does not follow", 302, { location: "http://127.0.0.1:1/" }, ""],
  ["200 with nonsense", 200, {}, "<html>"],
  ["200 with fields missing", 200, {}, '{"data":1}'],
  ["404 from something that is not appvars", 404, {}, "<html>not here</html>"],
])("exit code is 7 for %s", async (_what, status, headers, body) => {
  const { url, requests } = await fixedAnswer(status, headers as Record<string, string>, body);
  const { code, stdout } = await runCli(["get", "PORT"], {
    env: { APPVARS_URL: url, ...CREDENTIALS },
  });
  expect([code, stdout, requests()]).toEqual([7, "", 1]);
});

it("exit code is 7 when the server is not healthy, with the reason", async () => {
  const body = '{"uptime":1.5,"message":"the store is gone","date":"2026-01-01T00:00:00.000Z"}';
  const { url } = await fixedAnswer(503, {}, body);
  expect(await runCli(["health", "--url", url])).toEqual({
    code: 7,
    stdout: "",
    stderr: "appvars: the store is gone\n",
  });
});

it.each([
  ["missing", undefined],
  ["not JSON", "{"],
  ["against a rule", { ...DATA, version: 2 }],
])("exit code is 8 for a data file that is %s", async (_what, content) => {
  const data = content === undefined ? "/nowhere/vars.json" : (await dataFile(content)).path;
  const { code, stdout, stderr } = await runCli(["list", "--data", data, "--env", "test"]);
  expect([code, stdout]).toEqual([8, ""]);
  expect(stderr).toContain(data);
});

it.each([["--help"], ["get", "--help"], ["--version"], ["help", "serve"]])(
  "exit code is 0 for %s %s",
  async (...argv) => {
    const { code, stdout, stderr } = await runCli(argv);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).not.toBe("");
  },
);

it("the error for an unknown flag does not contain its value, which may be a secret", async () => {
  const { stderr } = await runCli(["list", "--token=hunter2 'quoted'"]);
  expect(stderr).toBe("appvars: unknown option '--token'\n");
});

it("with --json, stderr has only the error", async () => {
  const { url, close } = await runningServer();
  await close();
  const env = { APPVARS_URL: url, ...CREDENTIALS };
  const { stderr } = await runCli(["get", "PORT", "--json", "--max-wait", "0.3"], { env });
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: "unreachable" } });
});

it("with --json, usage errors are JSON", async () => {
  const { stderr } = await runCli(["show", "--json"]);
  const message = "missing required argument 'name'; for example: appvars show DATABASE_URL";
  expect(JSON.parse(stderr)).toEqual({ error: { code: "usage", message } });
});

it("output flags are accepted before the command", async () => {
  const { stdout } = await runCli([
    "--json",
    "list",
    "--data",
    (await dataFile(DATA)).path,
    "--env",
    "test",
    "--type",
    "json",
  ]);
  expect(JSON.parse(stdout)).toMatchObject([{ name: "FLAGS" }]);
});

it("the secret is read from a file or stdin, without its last newline", async () => {
  const { url } = await runningServer();
  const env = { APPVARS_URL: url, APPVARS_API_KEY: "dev-key" };
  const secretFile = (await dataFile("dev-secret\n")).path;
  expect(await runCli(["get", "PORT", "--api-secret-file", secretFile], { env })).toMatchObject({
    stdout: "3000\n",
  });
  expect(
    await runCli(["get", "PORT", "--api-secret-file", "-"], { env, stdin: "dev-secret\r\n" }),
  ).toMatchObject({
    stdout: "3000\n",
  });
});

it("--verbose logs each request, and --quiet nothing", async () => {
  const { url, close } = await runningServer();
  const env = { APPVARS_URL: url, ...CREDENTIALS };
  const { stderr } = await runCli(["get", "PORT", "--verbose"], { env });
  expect(stderr).toMatch(
    /^appvars: GET \/v1\/variables-values-by-name\/PORT\/content 200 in \d+ ms\n$/,
  );
  await close();
  const quiet = await runCli(["get", "PORT", "--quiet", "--max-wait", "0.3"], { env });
  expect(quiet.stderr).not.toContain("trying again");
});
