import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type CliOptions, runCli } from "../../../support/cli.js";
import { DATA, edited } from "../../../support/data.js";
import { dataFile } from "../../../support/data-file.js";
import { runningServer } from "../../../support/running-server.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const SECRET = "hunter2-secret";
const data = edited((copy) => {
  copy.environments[0].api_secret = SECRET;
}) as object;

let folder: string;
let config: string;
let file: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  config = join(folder, "config");
  file = join(config, "profiles.json");
});

const stored = async () => JSON.parse(await readFile(file, "utf8"));
const isStored = () => stat(file).then(Boolean, () => false);

/** Runs a command whose output may hold no secret. */
async function run(line: string, options: CliOptions = {}) {
  const result = await runCli(line.split(" "), { cwd: folder, config, ...options });
  expect(result.stdout + result.stderr).not.toContain("hunter2");
  return result;
}

const DONE = { code: 0, stdout: "", stderr: "" };
const UNTRIED = "--no-check --url http://127.0.0.1:1";

describe("profile add", () => {
  it("checks the credentials and stores them, with the secret, readable only by the user", async () => {
    const { url } = await runningServer({ data });
    const argv = `profile add dev --url ${url} --api-key dev-key --api-secret-file - --timeout 5`;
    expect(await run(argv, { stdin: `${SECRET}\n` })).toEqual(DONE);
    const settings = { url, api_key: "dev-key", api_secret: SECRET, timeout: "5" };
    expect(await stored()).toEqual({ version: 1, current: "dev", profiles: { dev: settings } });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await run("get PORT")).stdout).toBe("3000\n");
  });

  it("stores the variables that serve prints, and no others", async () => {
    const { url } = await runningServer({ data });
    const pasted = { APPVARS_URL: url, APPVARS_API_KEY: "dev-key", APPVARS_API_SECRET: SECRET };
    const others = {
      APPVARS_TIMEOUT: "1",
      APPVARS_DATA: "x",
      APPVARS_ENV: "y",
      APPVARS_AUTH: "z",
      APPVARS_PROFILE: "p",
    };
    expect(await run("profile add dev", { env: { ...pasted, ...others } })).toEqual(DONE);
    expect((await stored()).profiles.dev).toEqual({ url, api_key: "dev-key", api_secret: SECRET });
  });

  it("ignores .appvars.json and the current profile", async () => {
    await run(`profile add other ${UNTRIED} --api-key other-key --max-wait 1`);
    await writeFile(
      join(folder, ".appvars.json"),
      '{"url": "http://project", "api_key": "project-key"}',
    );
    await run("profile add new --no-check --url http://new");
    expect((await stored()).profiles.new).toEqual({ url: "http://new" });
    expect(await run("profile add empty --no-check")).toMatchObject({ code: 2 });
  });

  it("prefers the secret from the flag to the variable", async () => {
    await writeFile(join(folder, "secret"), `${SECRET}\n`);
    await run(`profile add dev ${UNTRIED} --api-secret-file ${folder}/secret`, {
      env: { APPVARS_API_SECRET: "other" },
    });
    expect((await stored()).profiles.dev.api_secret).toBe(SECRET);
  });

  it("checks a data file, and stores its absolute path but no settings of a server", async () => {
    const { path } = await dataFile(DATA);
    const argv = `profile add local --data vars.json --env test --enc-key-file key`;
    const cwd = join(path, "..");
    await writeFile(join(cwd, "key"), "hunter2");
    expect(
      await run(argv, { cwd, env: { APPVARS_URL: "http://a", APPVARS_API_SECRET: SECRET } }),
    ).toEqual(DONE);
    expect((await stored()).profiles.local).toEqual({
      data: path,
      env: "test",
      enc_key_file: join(cwd, "key"),
    });
    expect((await run("get DATABASE_URL")).stdout).toBe("postgres://localhost/test\n");
  });

  it.each([
    ["refused credentials", "--url URL --api-key dev-key --api-secret-file -", 4],
    ["no secret", "--url URL --api-key dev-key", 4],
    ["a server that does not listen", "--url http://127.0.0.1:1 --api-secret-file -", 5],
    ["no server's URL", "--url nonsense", 2],
    ["a user's password in the URL", "--url http://me:hunter2@a --no-check", 2],
    ["an invalid timeout", "--url URL --timeout soon --no-check", 2],
    [
      "a secret that can't be sent",
      "--url URL --api-secret-file - --no-check",
      2,
      "hunter2 with, comma",
    ],
    ["a missing data file", "--data nowhere.json --env test", 8],
    ["an environment that does not exist", "--data DATA --env nope", 3],
    ["no environment of many", "--data DATA", 2],
    ["an environment without a data file", "--env test", 2],
    ["both sources", "--url URL --data DATA", 2],
    ["a missing key file", "--data DATA --env test --enc-key-file nowhere", 2],
    ["a key from stdin", "--data DATA --env test --enc-key-file - --no-check", 2],
    ["nothing at all", "", 2],
    ["another profile", "--profile x", 2],
  ])("stores nothing with %s", async (_what, flags, code, stdin = "hunter2-wrong") => {
    const [{ url }, { path }] = [await runningServer({ data }), await dataFile(DATA)];
    const line = `profile add dev ${flags}`.trim().replaceAll("URL", url).replaceAll("DATA", path);
    expect(await run(line, { stdin })).toMatchObject({ code, stdout: "" });
    expect(await isStored()).toBe(false);
  });

  it("--no-check stores settings without checking them", async () => {
    expect(await run(`profile add dev ${UNTRIED}`)).toEqual(DONE);
    expect((await stored()).profiles.dev).toEqual({ url: "http://127.0.0.1:1" });
  });

  it("replaces a whole profile, and only with --force", async () => {
    await run(`profile add dev ${UNTRIED} --api-key k`);
    expect(await run(`profile add dev ${UNTRIED}`)).toEqual({
      code: 2,
      stdout: "",
      stderr: 'appvars: there already is a profile "dev": add --force to replace it\n',
    });
    expect(await run(`profile add dev --force ${UNTRIED}`)).toEqual(DONE);
    expect((await stored()).profiles.dev).toEqual({ url: "http://127.0.0.1:1" });
  });

  it("confirms its change on a terminal", async () => {
    const { stderr } = await run(`profile add dev ${UNTRIED} --no-color`, { terminal: true });
    expect(stderr).toBe("appvars: added the profile dev, which is the current one\n");
  });
});

describe("profile list, use and remove", () => {
  const settings = {
    dev: { url: "http://dev", api_key: "dev-key", api_secret: SECRET },
    local: { data: "/vars.json", env: "test" },
    odd: { url: "http://me:hunter2@odd", nonsense: ["hunter2"] },
    shop: { store: "etcd://a", store_user: "me", env: "test" },
  };
  const write = (current: string | undefined) =>
    run(`profile add x ${UNTRIED}`).then(() =>
      writeFile(file, JSON.stringify({ version: 1, current, profiles: settings })),
    );

  it("profile list prints names, the current mark and sources, but no secrets", async () => {
    await write("local");
    expect(await run("profile list")).toEqual({
      code: 0,
      stdout:
        "dev\t\thttp://dev\tdev-key\nlocal\t*\t/vars.json\ttest\nodd\t\t(hidden)\t\nshop\t\tetcd://a\ttest\n",
      stderr: "",
    });
    expect(JSON.parse((await run("profile list --json")).stdout)).toEqual([
      { name: "dev", current: false, url: "http://dev", api_key: "dev-key" },
      { name: "local", current: true, data: "/vars.json", env: "test" },
      { name: "odd", current: false, url: "(hidden)" },
      { name: "shop", current: false, store: "etcd://a", env: "test" },
    ]);
  });

  it("profile list prints a table on a terminal, and marks the current profile not by color alone", async () => {
    await write("dev");
    expect((await run("profile list --no-color", { terminal: true })).stdout).toBe(
      "NAME   CURRENT  SOURCE      ENV OR API KEY\n" +
        "dev    *        http://dev  dev-key\n" +
        "local           /vars.json  test\n" +
        "odd             (hidden)\n" +
        "shop            etcd://a    test\n",
    );
  });

  it("profile list prints nothing without profiles", async () => {
    expect(await run("profile list")).toEqual(DONE);
    expect((await run("profile list --json")).stdout).toBe("[]\n");
    expect((await run("profile list", { terminal: true })).stderr).toContain("no profiles yet");
  });

  it("profile use sets the current profile, and reports a variable that overrides it", async () => {
    await write("dev");
    expect(await run("profile use local")).toEqual(DONE);
    expect((await stored()).current).toBe("local");
    expect((await run("profile use dev", { env: { APPVARS_PROFILE: "odd" } })).stderr).toContain(
      "overrides the current profile",
    );
  });

  it("profile remove removes profiles, including the current one", async () => {
    await write("dev");
    expect(await run("profile remove dev odd shop")).toEqual(DONE);
    expect(await stored()).toEqual({ version: 1, profiles: { local: settings.local } });
  });

  it.each(["use lokal", "remove dev lokal"])(
    "a mistyped profile gets a suggestion, and nothing changes: %s",
    async (line) => {
      await write("dev");
      const before = await readFile(file, "utf8");
      expect(await run(`profile ${line}`)).toEqual({
        code: 3,
        stdout: "",
        stderr: 'appvars: there is no profile "lokal" (did you mean local?)\n',
      });
      expect(await readFile(file, "utf8")).toBe(before);
    },
  );

  it.each(["list", "use local", "remove local", `add new ${UNTRIED}`])(
    "profile commands work when the current profile does not exist: %s",
    async (line) => {
      await write("gone");
      expect(await run("get PORT")).toMatchObject({ code: 2 });
      expect(await run(`profile ${line}`)).toMatchObject({ code: 0, stderr: "" });
    },
  );
});
