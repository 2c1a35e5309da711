import { chmod, lchown, mkdir, realpath, rename, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it, vi } from "vitest";
import { type CliOptions, runCli } from "../../../support/cli.js";
import { CREDENTIALS, DATA, edited } from "../../../support/data.js";
import { dataFile } from "../../../support/data-file.js";
import { openSocket, receivedUntilClose } from "../../../support/http.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

/**
 * Runs `serve` on a free port; once it has printed its address, calls `use` with it, and then stops
 * it.
 */
async function serving(
  argv: string[],
  use: (settings: Record<string, string>) => Promise<void> = async () => {},
  options: CliOptions = {},
) {
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  let used: Promise<void> | undefined;
  const onStdout = (text: string) => {
    used ??= use(readExports(text)).finally(stop);
  };
  const result = await runCli(["serve", "--port", "0", ...argv], {
    ...options,
    untilStopped: () => stopped,
    onStdout,
  });
  await used;
  return result;
}

/** The variables that the printed lines would set in a shell. */
function readExports(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
}

/** A data file in which the value of shop/development's PORT, 3000, is another. */
function withPort(port: number): string {
  return JSON.stringify(
    edited((data) => {
      data.values.find(
        ({ content }: { content: { value: unknown } }) => content.value === 3000,
      ).content.value = port;
    }),
  );
}

it.each(["flag", "variable", ".appvars.json"])(
  "serve does not create a missing file that a %s names, and exits with 8",
  async (location) => {
    const cwd = join(await temporaryFolder(), "my vars");
    await mkdir(cwd);
    const path = join(cwd, "vars.json");
    if (location === ".appvars.json")
      await writeFile(join(cwd, location), JSON.stringify({ data: "vars.json" }));
    const env = {
      APPVARS_ALLOW_PROJECT: "1",
      ...(location === "variable" && { APPVARS_DATA: path }),
    };
    const flags = location === "flag" ? ["--data", path] : [];
    expect(
      await runCli(["serve", "--port", "0", ...flags], { cwd: await realpath(cwd), env }),
    ).toEqual({
      code: 8,
      stdout: "",
      stderr: `appvars: ${path} does not exist; to create it: appvars init --data '${path}'\n`,
    });
    await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
  },
);

it("serve reads an unchanged file again on SIGHUP, and logs its problem each time", async () => {
  const { path, write } = await dataFile(DATA);
  let reload = () => {};
  let stop = () => {};
  const untilStopped: CliOptions["untilStopped"] = (phase) => {
    reload = () => phase.reload();
    return new Promise((resolve) => {
      stop = resolve;
    });
  };
  const output = { stderr: "" };
  let ended: ReturnType<typeof runCli> | undefined;
  const logged = (text: string, times: number) =>
    expect.poll(() => output.stderr.split(text).length - 1, { timeout: 10_000 }).toBe(times);
  const health = async (url: string) => (await fetch(`${url}/healthz`)).status;
  const url = await new Promise<string>((resolve) => {
    const onStdout = (text: string) => resolve(readExports(text)["APPVARS_URL"] ?? "");
    const onStderr = (text: string) => {
      output.stderr += text;
    };
    ended = runCli(["serve", "--port", "0", "--data", path], { untilStopped, onStdout, onStderr });
  });
  for (const times of [1, 2]) {
    reload();
    await logged(`SIGHUP: reloading ${path}`, times);
    await logged(`reloaded ${path}`, times);
  }
  await write("broken");
  await logged("is not valid JSON", 1);
  reload();
  await logged("is not valid JSON", 2);
  expect(await health(url)).toBe(503);
  await write(DATA);
  await logged(`reloaded ${path}`, 3);
  expect(await health(url)).toBe(200);
  stop();
  expect(await ended).toMatchObject({ code: 0 });
});

it.each(["pretty", "json"])(
  "serve logs a reload and a bad edit, without a value, in the format %s",
  async (format) => {
    const path = (await dataFile(DATA)).path;
    const argv = ["--data", path, "--log-format", format];
    const { stderr } = await serving(argv, async ({ APPVARS_URL }) => {
      const health = async () => (await fetch(`${APPVARS_URL}/healthz`)).text();
      await writeFile(path, '{ "hunter2": "hunter2" "');
      await expect.poll(health).toContain("could not be read again");
      await writeFile(path, JSON.stringify(DATA));
      await expect.poll(health).toContain('"message":"OK"');
    });
    expect(stderr).toContain("is not valid JSON: line 1, column 24");
    expect(stderr).toContain(`reloaded ${path}`);
    expect(stderr).not.toContain("hunter2");
    const isJson = (line: string) => line.startsWith('{"level":"');
    expect(stderr.trim().split("\n").every(isJson)).toBe(format === "json");
  },
);

const asRoot = it.skipIf(process.getuid?.() !== 0);
asRoot.each(["file", "link"])(
  "serve keeps the last good data when another user puts a %s in place of the file",
  async (kind) => {
    const { path } = await dataFile(DATA);
    await chmod(dirname(path), 0o1777);
    const theirs = `${path}.new`;
    const user = { user: 1000, groups: [1000] };
    const { stderr } = await serving(
      ["--data", path],
      async ({ APPVARS_URL: url = "" }) => {
        const env = { APPVARS_URL: url, ...CREDENTIALS };
        const status = async () => (await fetch(`${url}/healthz`)).status;
        const port = () => runCli(["get", "PORT"], { env });
        await writeFile(theirs, withPort(1));
        if (kind === "link") {
          await rename(theirs, `${path}.target`);
          await symlink(`${path}.target`, theirs);
        }
        await lchown(theirs, 1234, 1234);
        await rename(theirs, path);
        await vi.waitFor(async () => expect(await status()).toBe(503), 10_000);
        expect((await port()).stdout).toBe("3000\n");
        await writeFile(theirs, withPort(2));
        await rename(theirs, path);
        await vi.waitFor(async () => expect(await status()).toBe(200), 10_000);
        expect((await port()).stdout).toBe("2\n");
      },
      user,
    );
    expect(stderr).toContain(
      `the data file can be changed by other users: it belongs to another user; `,
    );
  },
);

it("serve warns about weak secrets at the start, and about new ones after a reload", async () => {
  const { path, write } = await dataFile(DATA);
  const shared = edited(
    (data) => (data.environments[3].api_secret = data.environments[2].api_secret),
  );
  const { stderr } = await serving(["--data", path], async ({ APPVARS_URL }) => {
    await write(shared);
    const headers = { "x-api-key": "billing-key", "x-api-secret": "prod-secret" };
    await expect
      .poll(async () => (await fetch(`${APPVARS_URL}/v1/variables`, { headers })).status)
      .toBe(200);
  });
  const advice = `; to replace them, run: appvars env rotate NAME --data ${path}\n`;
  expect(stderr.split("can be guessed: shop/development")).toHaveLength(2);
  expect(stderr).toContain(
    `clients of one can read the others: shop/production, billing/development${advice}`,
  );
  expect(stderr).not.toContain("prod-secret");
});

it("serve warns if other machines may reach it", async () => {
  const data = (await dataFile(DATA)).path;
  expect((await serving(["--data", data, "--host", "0.0.0.0"])).stderr).toContain("without TLS");
  expect((await serving(["--data", data])).stderr).not.toContain("without TLS");
});

it.each([
  ["--port", "65536"],
  ["--port", "-1"],
  ["--rate-limit", "1.5"],
  ["--rate-limit", "5/0s"],
  ["--metrics", "65536"],
  ["--clock-tolerance", "x"],
  ["--max-connections", "-1"],
  ["--trust-proxy", ""],
  ["--trust-proxy", "10.0.0.0/8,proxy.example"],
  ["--log-format", "xml"],
])("serve refuses %s %s with exit code 2", async (flag, value) => {
  const { code, stderr } = await runCli(["serve", flag, value]);
  expect(code).toBe(2);
  expect(stderr).toContain(flag);
});

it("serve refuses APPVARS_RATE_LIMIT_STORE with exit code 2, and does not quote it", async () => {
  const env = { APPVARS_RATE_LIMIT_STORE: "redis://:hunter2@127.0.0.1:6379" };
  expect(await runCli(["serve", "--port", "0"], { env })).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "appvars: APPVARS_RATE_LIMIT_STORE is no longer supported: each server counts requests by itself, so that several allow as many times the limit (docs/scaling.md)\n",
  });
});

it("serve applies its rate limit", async () => {
  const argv = ["--data", (await dataFile(DATA)).path, "--rate-limit", "3/7s"];
  await serving(argv, async ({ APPVARS_URL }) => {
    const { headers } = await fetch(`${APPVARS_URL}/healthz`);
    expect([headers.get("RateLimit-Limit"), headers.get("RateLimit-Reset")]).toEqual(["3", "7"]);
  });
});

it("serve closes connections over --max-connections, and logs their number", async () => {
  const argv = ["--data", (await dataFile(DATA)).path, "--max-connections", "1"];
  let logged = "";
  const onStderr = (text: string) => {
    logged += text;
  };
  const use = async ({ APPVARS_URL }: Record<string, string>) => {
    const server = { port: Number(new URL(String(APPVARS_URL)).port) };
    await openSocket(server);
    expect(await receivedUntilClose(await openSocket(server))).toBe("");
    await expect.poll(() => logged).toContain("refused connections: 1; ");
  };
  await serving(argv, use, { onStderr });
});
