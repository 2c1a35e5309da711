import { chmod, mkdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createToken } from "../../../../src/kit/process/process-token.js";
import { httpPeer, listening, tcpPeer } from "../../../client/peer.js";
import { type CliOptions, runCli } from "../../../support/cli.js";
import { CREDENTIALS, DATA } from "../../../support/data.js";
import { dataFile } from "../../../support/data-file.js";
import { runningServer } from "../../../support/running-server.js";
import { stubbedServer } from "../../../support/stubbed-server.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const HEALTH = () => JSON.stringify({ uptime: 1, message: "OK", date: new Date().toISOString() });
// Made with openssl, all with the one key: expired.pem was valid in 2020 alone, other-host.pem is
// for other.example.
const fixturePath = (name: string) =>
  new URL(`../../../support/tls/${name}`, import.meta.url).pathname;

interface Reported {
  check: string;
  verdict: string;
  message: string;
  fix: string | null;
}

/**
 * Runs doctor, and returns the exit code and the findings: `{ clock: { verdict, message, fix } }`.
 */
async function doctor(url: string | URL, argv: string[] = [], options: CliOptions = {}) {
  const env = { APPVARS_URL: new URL(url).origin, ...CREDENTIALS, ...options.env };
  const { code, stdout, stderr } = await runCli(["doctor", "--json", ...argv], { ...options, env });
  const report = JSON.parse(stdout) as Reported[];
  expect(stderr).toBe("");
  expect(stdout).not.toContain("secret-of-none");
  const verdicts = Object.fromEntries(report.map(({ check, verdict }) => [check, verdict]));
  return {
    code,
    report,
    verdicts,
    of: (name: string) => report.find(({ check }) => check === name),
  };
}

describe("doctor without problems", () => {
  it("doctor reports each check, and exits with 0 without problems", async () => {
    const { url } = await runningServer();
    const { code, verdicts } = await doctor(url);
    expect([code, verdicts]).toEqual([
      0,
      {
        settings: "ok",
        file_modes: "skipped",
        reachability: "ok",
        tls: "skipped",
        clock: "ok",
        credentials: "ok",
        rate_limit: "ok",
      },
    ]);
  });

  it("doctor prints fields for a program, and colors on a terminal", async () => {
    const { url } = await runningServer();
    const env = { APPVARS_URL: url, ...CREDENTIALS };
    const { stdout } = await runCli(["doctor"], { env });
    expect(stdout.split("\n")[0]).toBe(`ok\tsettings\tserver ${url} (from APPVARS_URL)\t`);
    const { stdout: shown } = await runCli(["doctor"], {
      env: { ...env, APPVARS_API_KEY: "none" },
      terminal: true,
    });
    expect(shown).toMatch(
      /problem .*credentials {3}the API key is wrong: .*\n {23}-> get the key and the secret from the server/,
    );
    expect(shown).toContain("\u001b[3");
  });

  it("doctor accepts a secret without a key", async () => {
    const { url } = await runningServer();
    const { code, of } = await doctor(url, [], { env: { APPVARS_API_KEY: "" } });
    expect([code, of("credentials")?.verdict]).toEqual([0, "ok"]);
  });
});

describe("doctor with a server", () => {
  it("doctor finds a host that does not exist", async () => {
    // No resolver is asked for a label of more than 63 characters.
    const { code, of } = await doctor(`http://${"a".repeat(64)}.invalid`);
    expect([code, of("reachability")]).toMatchObject([
      5,
      { verdict: "problem", message: expect.stringMatching(/no such host/) },
    ]);
  });

  it("doctor finds a server that does not answer in time", async () => {
    const { url } = await httpPeer(() => {});
    const { code, of } = await doctor(url, ["--timeout", "0.05"]);
    expect([code, of("reachability")]).toMatchObject([
      5,
      { verdict: "problem", message: expect.stringMatching(/within 0\.05 s/) },
    ]);
  });

  it("doctor finds a server that is not appvars, and sends it no credentials", async () => {
    const received: unknown[] = [];
    const { url } = await httpPeer((req, res) => {
      received.push(req.headers["authorization"], req.headers["x-api-key"]);
      res.writeHead(404).end("<html>");
    });
    const { code, of, verdicts } = await doctor(url);
    expect([code, of("reachability")]).toMatchObject([
      7,
      { verdict: "problem", message: expect.stringMatching(/not an appvars server/) },
    ]);
    expect(verdicts["credentials"]).toBe("skipped");
    expect(received.filter(Boolean)).toEqual([]);
  });

  it("doctor finds a server that does not speak HTTP", async () => {
    const { url } = await tcpPeer((socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"));
    const { code, of } = await doctor(url);
    expect([code, of("reachability")]).toMatchObject([
      7,
      { verdict: "problem", message: expect.stringMatching(/does not answer with HTTP/) },
    ]);
  });

  it("doctor finds http: for a server that speaks TLS", async () => {
    const { port } = await tlsPeer("certificate.pem");
    const { code, of } = await doctor(`http://127.0.0.1:${port}`);
    const message = expect.stringMatching(/should the URL begin with https:\?$/);
    expect([code, of("reachability")]).toMatchObject([5, { verdict: "problem", message }]);
  });

  it("doctor finds a server that is not healthy", async () => {
    const { url } = await stubbedServer({ store: { problem: "the data file is empty" } });
    const { code, of, verdicts } = await doctor(url);
    expect([code, of("reachability")]).toMatchObject([
      7,
      { verdict: "problem", message: expect.stringMatching(/could not be read again/) },
    ]);
    expect(verdicts["credentials"]).toBe("ok");
  });

  it.each([
    ["a wrong key", { APPVARS_API_KEY: "secret-of-none" }, /API key is wrong/],
    ["another environment's key", { APPVARS_API_KEY: "test-key" }, /API key is wrong/],
    ["a wrong secret", { APPVARS_API_SECRET: "secret-of-none" }, /API secret is wrong/],
    [
      "a wrong secret without a key",
      { APPVARS_API_SECRET: "secret-of-none", APPVARS_API_KEY: "" },
      /secret is wrong/,
    ],
    ["no secret", { APPVARS_API_SECRET: "" }, /no API secret/],
    [
      "a wrong key in headers",
      { APPVARS_AUTH: "headers", APPVARS_API_KEY: "secret-of-none" },
      /API key is wrong/,
    ],
    [
      "a wrong secret in headers",
      { APPVARS_AUTH: "headers", APPVARS_API_SECRET: "secret-of-none" },
      /secret is wrong/,
    ],
    ["no key for headers", { APPVARS_AUTH: "headers", APPVARS_API_KEY: "" }, /no API key/],
  ])("doctor finds %s", async (_what, env, message) => {
    const { url } = await runningServer();
    const { code, of, verdicts } = await doctor(url, [], { env: env as Record<string, string> });
    expect([code, of("credentials")]).toMatchObject([
      4,
      { verdict: "problem", message: expect.stringMatching(message) },
    ]);
    expect(verdicts).toMatchObject({ reachability: "ok", clock: "ok" });
  });

  it.each([
    ["behind", -400, /40[01] s behind/],
    ["ahead", 90, /(89|90) s ahead of/],
  ])(
    "doctor finds a clock that is too far %s, and does not blame the credentials",
    async (_what, seconds, message) => {
      const { url } = await runningServer();
      const clock = () => Date.now() + seconds * 1_000;
      const { code, of } = await doctor(url, [], { clock });
      expect([code, of("clock"), of("credentials")]).toMatchObject([
        4,
        { verdict: "problem", message: expect.stringMatching(message) },
        { verdict: "ok", message: expect.stringMatching(/see clock/) },
      ]);
    },
  );

  it("doctor finds a wrong secret although the clock is wrong too", async () => {
    const { url } = await runningServer();
    const clock = () => Date.now() - 400_000;
    const { verdicts, of } = await doctor(url, [], {
      clock,
      env: { APPVARS_API_SECRET: "secret-of-none" },
    });
    expect([verdicts["clock"], of("credentials")?.message]).toEqual([
      "problem",
      expect.stringContaining("secret is wrong"),
    ]);
  });

  it.each([
    [-3_600, /(3599|3600|3601) s behind/],
    [3_600, /(3599|3600|3601) s ahead of/],
  ])("doctor finds a clock that is set by %d s during a request", async (seconds, message) => {
    let change = 0;
    const { url } = await httpPeer((_req, res) => {
      change = seconds * 1_000;
      res.end(HEALTH());
    });
    const { of } = await doctor(url, [], { clock: () => Date.now() + change });
    expect(of("clock")?.message).toMatch(message);
  });

  it.each([
    ["close to the limit", -200, {}],
    [
      "past the usual limit, which the server has widened",
      -400,
      { tolerance: { past: 900, future: 60 } },
    ],
  ])("doctor finds a clock that is %s, as a warning", async (_what, seconds, options) => {
    const { url } = await runningServer(options);
    const { code, verdicts } = await doctor(url, [], { clock: () => Date.now() + seconds * 1_000 });
    expect([code, verdicts["clock"], verdicts["credentials"]]).toEqual([0, "warning", "ok"]);
  });

  it.each([
    ["has expired", "expired.pem", "expired.pem", /expired \(valid until 2021-01-01\)/],
    [
      "has expired and is not known",
      "expired.pem",
      undefined,
      /expired \(valid until 2021-01-01\)/,
    ],
    ["is for another host", "other-host.pem", "other-host.pem", /another host/],
    ["is self-signed", "certificate.pem", undefined, /self-signed/],
    ["is of another authority", "certificate.pem", "other-host.pem", /self-signed|authority/],
  ])(
    "doctor finds a certificate that %s, and sends nothing",
    async (_what, certificate, ca, message) => {
      const { url, targets } = await tlsPeer(certificate);
      const { code, of, verdicts } = await doctor(url, ca ? ["--ca-file", fixturePath(ca)] : []);
      expect([code, of("tls")]).toMatchObject([
        5,
        { verdict: "problem", message: expect.stringMatching(message) },
      ]);
      expect(verdicts).toMatchObject({ reachability: "skipped", credentials: "skipped" });
      expect(targets).toEqual([]);
    },
  );

  it.each([
    ["ok", "2119-12-01", 0],
    ["warning", "2119-12-25", 0],
  ])("doctor reports the end of a certificate as %s", async (verdict, today, code) => {
    const { url } = await tlsPeer("certificate.pem");
    const clock = () => Date.parse(today);
    const argv = ["--ca-file", fixturePath("certificate.pem"), "--auth", "headers"];
    const result = await doctor(url, argv, { clock });
    expect([result.code, result.of("tls")?.verdict]).toEqual([code, verdict]);
  });

  it("doctor skips the rate limit of a server without one", async () => {
    const { url } = await runningServer({ rateLimit: 0 });
    expect((await doctor(url)).of("rate_limit")).toMatchObject({
      verdict: "skipped",
      message: expect.stringMatching(/does not report a rate limit/),
    });
  });

  it("doctor finds an invalid setting, and skips the checks that depend on it", async () => {
    const { url } = await runningServer();
    const { code, of, verdicts } = await doctor(url, ["--url", "127.0.0.1:7400"]);
    expect([code, of("settings")]).toMatchObject([
      2,
      { verdict: "problem", message: expect.stringMatching(/must look like/) },
    ]);
    expect(verdicts).toMatchObject({ reachability: "skipped", credentials: "skipped" });
  });

  it("doctor finds missing secret files, and checks the server nevertheless", async () => {
    const { url } = await runningServer();
    const argv = ["--api-secret-file", "/nowhere/secret", "--enc-key-file", "/nowhere/key"];
    const { code, report, verdicts } = await doctor(url, argv, { env: { APPVARS_API_SECRET: "" } });
    const problems = report
      .filter(({ verdict }) => verdict === "problem")
      .map(({ message }) => message);
    expect([code, problems]).toEqual([
      2,
      [
        "--enc-key-file /nowhere/key can't be read (ENOENT)",
        "--api-secret-file /nowhere/secret can't be read (ENOENT)",
      ],
    ]);
    expect(verdicts).toMatchObject({ reachability: "ok", clock: "ok", credentials: "skipped" });
  });
});

// Windows has no such modes.
describe.skipIf(process.platform === "win32")("doctor and file modes", () => {
  it("doctor finds loose modes of secret and key files and the profiles, but not of .appvars.json", async () => {
    const { url } = await runningServer();
    const folder = await temporaryFolder();
    const config = join(folder, "config");
    const [secret, key, profiles] = [
      join(folder, "secret"),
      join(folder, "key"),
      join(config, "profiles.json"),
    ];
    await mkdir(config);
    await writeFile(secret, "dev-secret\n");
    await writeFile(key, "key");
    await writeFile(profiles, '{"version":1,"profiles":{}}');
    await writeFile(join(folder, ".appvars.json"), JSON.stringify({ url }));
    for (const path of [secret, key, profiles, join(folder, ".appvars.json")])
      await chmod(path, 0o644);
    await chmod(config, 0o755);
    const argv = ["--api-secret-file", secret, "--enc-key-file", key];
    const check = () => doctor(url, argv, { cwd: folder, config, env: { APPVARS_API_SECRET: "" } });
    const { code, report } = await check();
    const found = report
      .filter(({ check: name }) => name === "file_modes")
      .map(({ verdict, fix }) => [verdict, fix]);
    expect(code).toBe(0);
    expect(found).toEqual([
      ["warning", `chmod 600 ${secret}`],
      ["warning", `chmod 600 ${key}`],
      ["warning", `chmod 600 ${profiles}`],
    ]);
    for (const path of [secret, key, profiles]) await chmod(path, 0o600);
    await chmod(config, 0o700);
    expect((await check()).of("file_modes")).toMatchObject({ verdict: "ok" });
  });
});

describe("doctor with a data file", () => {
  const check = (path: string, ...argv: string[]) =>
    doctor("http://127.0.0.1", ["--data", path, ...argv]);

  it.each([
    ["is not there", undefined, /no such file/],
    ["is no JSON", "{", /is not valid JSON/],
    [
      "has a key twice",
      '{"version":1,"version":1}',
      /line 1, column 14: a duplicate key in an object/,
    ],
    ["breaks a rule", { ...DATA, version: 2 }, /unknown version/],
  ])("doctor finds that the data file %s", async (_what, content, message) => {
    const path = content === undefined ? "/nowhere/vars.json" : (await dataFile(content)).path;
    const { code, of, verdicts } = await check(path, "--env", "test");
    expect([code, of("data_file")]).toMatchObject([
      8,
      { verdict: "problem", message: expect.stringMatching(message) },
    ]);
    expect(verdicts["environment"]).toBe("skipped");
  });

  it.each([
    ["is not there", ["--env", "staging"], 3],
    ["is ambiguous", ["--env", "development"], 2],
    ["is not named", [], 2],
  ])("doctor finds that the environment %s", async (_what, argv, expected) => {
    const { code, of } = await check((await dataFile(DATA)).path, ...argv);
    expect([code, of("environment")]).toMatchObject([expected, { verdict: "problem" }]);
  });

  it.skipIf(process.platform === "win32")(
    "doctor finds that other users can read the data file",
    async () => {
      const { path } = await dataFile(DATA);
      await chmod(path, 0o640);
      const { code, of } = await check(path, "--env", "test");
      expect([code, of("file_modes")]).toMatchObject([
        0,
        { verdict: "warning", message: expect.stringMatching(/mode 0640/) },
      ]);
    },
  );

  it.skipIf(process.platform === "win32")(
    "doctor lets everybody read a sealed data file, but not its key",
    async () => {
      const folder = await temporaryFolder();
      const path = join(folder, "vars.json");
      await runCli(["init", "--seal", "--bare", "--data", path]);
      await chmod(path, 0o644);
      const modes = async () => (await check(path, "--env", "test")).of("file_modes");
      expect(await modes()).toMatchObject({
        verdict: "ok",
        message: `only you can read and write ${path}.key`,
      });
      await chmod(`${path}.key`, 0o644);
      expect(await modes()).toMatchObject({ verdict: "warning", fix: `chmod 600 ${path}.key` });
      await rm(`${path}.key`);
      expect(await modes()).toMatchObject({ verdict: "skipped" });
    },
  );

  it("doctor finds secrets that are short or shared", async () => {
    const { environments } = DATA;
    const shared = environments.map((item) =>
      item.id > 2 ? { ...item, api_secret: "0123456789abcdef" } : item,
    );
    const { path } = await dataFile({ ...DATA, environments: shared });
    const { code, report } = await check(path, "--env", "test");
    const found = report.filter(({ check: name }) => name === "secrets");
    const fix = `appvars env rotate NAME --data ${path}`;
    expect([code, found]).toMatchObject([
      0,
      [
        {
          verdict: "warning",
          message: expect.stringContaining("can be guessed: shop/development, shop/test"),
          fix,
        },
        {
          verdict: "warning",
          message: expect.stringContaining("shop/production, billing/development"),
          fix,
        },
      ],
    ]);
    expect(JSON.stringify(report)).not.toContain("0123456789abcdef");
  });

  it.skipIf(process.platform !== "linux")(
    "doctor finds the process of a lock, unless it has died",
    async () => {
      const { path } = await dataFile(DATA);
      const token = createToken();
      const message = async () => (await check(path, "--env", "test")).of("lock")?.message;
      await mkdir(`${path}.lock`);
      await writeFile(join(`${path}.lock`, token), "");
      expect(await message()).toBe(`process ${process.pid} is writing the file`);
      // Another process had the id, since the first moment of the system.
      const [random, host, pid, , ...name] = token.split("-");
      await rm(join(`${path}.lock`, token));
      await writeFile(join(`${path}.lock`, [random, host, pid, 1, ...name].join("-")), "");
      expect(await message()).toBe("no process is writing the file");
    },
  );

  it("doctor names the lock of the file that a link leads to", async () => {
    const folder = await realpath(await temporaryFolder());
    const [target, path] = [join(folder, "target.json"), join(folder, "link.json")];
    await writeFile(target, JSON.stringify(DATA));
    await symlink(target, path);
    const ofOtherHost = [...createToken().split("-").slice(0, 4), "elsewhere"].join("-");
    await mkdir(`${target}.lock`);
    await writeFile(join(`${target}.lock`, ofOtherHost), "");
    const { of } = await check(path, "--env", "test");
    expect(of("lock")?.fix).toBe(`if it has ended, run: rm -r ${target}.lock`);
  });

  it("doctor finds a link in place of the lock", async () => {
    const { path } = await dataFile(DATA);
    await symlink(await temporaryFolder(), `${path}.lock`);
    const { code, of } = await check(path, "--env", "test");
    const message = expect.stringContaining(`${path}.lock is not an appvars lock`);
    expect([code, of("lock")]).toMatchObject([8, { verdict: "problem", message }]);
  });
});

/** An HTTPS server that answers like appvars, as far as doctor asks. */
async function tlsPeer(certificate: string) {
  const targets: (string | undefined)[] = [];
  const [key, cert] = await Promise.all(
    ["key.pem", certificate].map((name) => readFile(fixturePath(name), "utf8")),
  );
  const server = createServer({ key, cert }, (req, res) => {
    targets.push(req.url);
    const page = '{"metadata":{"limit":1,"offset":0,"total":0},"data":[]}';
    res.end(req.url === "/healthz" ? HEALTH() : page);
  });
  server.on("tlsClientError", () => {});
  return { ...(await listening(server, "https")), targets };
}
