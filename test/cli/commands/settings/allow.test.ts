import { once } from "node:events";
import {
  chmod,
  chown,
  lchown,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { quickComplete } from "../../../../src/cli/completion/quick-complete.js";
import { type CliResult, runCli, runWith } from "../../../support/cli.js";
import { CREDENTIALS, DATA } from "../../../support/data.js";
import { dataFile } from "../../../support/data-file.js";
import { runningServer } from "../../../support/running-server.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const NOTHING = { code: 0, stdout: "", stderr: "" };
const isRoot = process.getuid?.() === 0;
const SOMEBODY = 1_234;

interface Project {
  cwd: string;
  config: string;
  /** Its `.appvars.json`. */
  file: string;
  run: (
    line: string | readonly string[],
    env?: Record<string, string>,
    terminal?: boolean,
  ) => Promise<CliResult>;
  write: (settings: unknown) => Promise<void>;
}

/** A project with such a file, a folder below it, and a user with an empty config folder. */
async function projectWith(settings: unknown, profiles?: object): Promise<Project> {
  const folder = await temporaryFolder();
  const [cwd, config] = [join(folder, "project"), join(folder, "config")];
  await mkdir(join(cwd, "src"), { recursive: true });
  await mkdir(config, { mode: 0o700 });
  const file = join(cwd, ".appvars.json");
  const write = (content: unknown) =>
    writeFile(file, typeof content === "string" ? content : JSON.stringify(content), {
      mode: 0o644,
    });
  await write(settings);
  if (profiles) {
    await writeFile(join(config, "profiles.json"), JSON.stringify({ version: 1, ...profiles }), {
      mode: 0o600,
    });
  }
  const run: Project["run"] = (line, env = {}, terminal = false) =>
    runCli(typeof line === "string" ? line.split(" ") : line, { cwd, config, env, terminal });
  return { cwd, config, file, run, write };
}

/** A server of a stranger, which records every request. */
async function strangersServer(): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.url} ${request.headers["authorization"]}`);
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

describe("a .appvars.json that is not allowed", () => {
  it.each([
    "get PORT",
    "list",
    "show PORT",
    "show PORT",
    "export",
    "health",
    "doctor",
    "run -- true",
    "run --watch -- true",
    "get PORT --cache",
  ])("causes no request by %s", async (line) => {
    const { url, requests } = await strangersServer();
    const { run } = await projectWith({ url });
    const { code, stdout, stderr } = await run(line, CREDENTIALS);
    expect(stdout + stderr).toContain("is not allowed yet");
    expect([code, requests]).toEqual([2, []]);
  });

  it("causes no request and no message on Tab", async () => {
    const { url, requests } = await strangersServer();
    const { cwd, config } = await projectWith({ url });
    for (const kind of ["names", "file-names", "environments", "profiles"]) {
      const argv = ["__complete", kind, "", "get"];
      expect(
        await runWith((io) => quickComplete(argv, io), { cwd, config, env: CREDENTIALS }),
      ).toEqual(NOTHING);
    }
    expect(requests).toEqual([]);
  });

  it.each<[string, object, Record<string, string>]>([
    ["server", { url: "http://127.0.0.1:1" }, CREDENTIALS],
    ["profile", { profile: "mine" }, CREDENTIALS],
    ["data file", { data: "../vars.json" }, CREDENTIALS],
    ["environment of a data file", { env: "production" }, { APPVARS_DATA: "vars.json" }],
    [
      "key",
      { api_key: "theirs" },
      { APPVARS_API_SECRET: "secret", APPVARS_URL: "http://127.0.0.1:1" },
    ],
    ["certificate", { ca_file: "ca.pem" }, { ...CREDENTIALS, APPVARS_URL: "https://127.0.0.1:1" }],
    ["client certificate", { client_cert: "a.pem", client_key: "b.pem" }, CREDENTIALS],
    ["time limit", { timeout: 1 }, CREDENTIALS],
  ])("does not select a %s", async (_what, settings, env) => {
    const profiles = { profiles: { mine: { url: "http://127.0.0.1:1", api_secret: "hunter2" } } };
    const { file, run } = await projectWith(settings, profiles);
    const [[key, value] = []] = Object.entries(settings);
    const { code, stdout, stderr } = await run("get PORT", env);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(`appvars: ${file} is not allowed yet, and would set ${key} `);
    expect(stderr).toContain(String(value).replace("../", ""));
    expect(stderr).toContain("run appvars allow (in CI set APPVARS_ALLOW_PROJECT=1)\n");
  });

  it.each(["set A x", "unset PORT", "init", "serve", "env list"])(
    "does not select the data file of %s",
    async (line) => {
      const { path } = await dataFile(DATA);
      const { run } = await projectWith({ data: path });
      expect(await run(line)).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("is not allowed yet"),
      });
    },
  );

  it("is ignored silently when flags and variables override all of it", async () => {
    const { url } = await runningServer();
    const { run } = await projectWith({
      url: "http://127.0.0.1:1",
      api_key: "x",
      env: "test",
      data: "",
    });
    const env = { ...CREDENTIALS, APPVARS_URL: url };
    expect(await run("get PORT", env)).toEqual({ code: 0, stdout: "3000\n", stderr: "" });
    expect(await run(["get", "PORT", "--url", url], CREDENTIALS)).toMatchObject({ code: 0 });
  });

  it("is ignored silently when it names only a profile that is not needed", async () => {
    const { url } = await runningServer();
    const { path } = await dataFile(DATA);
    const profiles = {
      current: "mine",
      profiles: { mine: { url: "http://127.0.0.1:1", timeout: 0 } },
    };
    const { run } = await projectWith({ profile: "mine" }, profiles);
    const env = { ...CREDENTIALS, APPVARS_URL: url };
    const answer = { code: 0, stdout: "3000\n", stderr: "" };
    expect(await run("get PORT", env)).toEqual(answer);
    expect(await run(["set", "DATABASE_URL", "x", "--data", path, "--env", "test"])).toEqual(
      NOTHING,
    );
    const read = await run(["get", "DATABASE_URL", "--data", path, "--env", "test"]);
    expect(read).toEqual({ code: 0, stdout: "x\n", stderr: "" });
  });

  it("is reported when its profile might have the credentials", async () => {
    const { url, requests } = await strangersServer();
    const profiles = {
      current: "mine",
      profiles: { mine: { api_key: "k", api_secret: "hunter2" } },
    };
    const { file, run } = await projectWith({ profile: "mine" }, profiles);
    const { code, stderr } = await run("get PORT", { APPVARS_URL: url });
    expect(stderr).toContain(
      `continuing without a profile: ${file} is not allowed yet, and would set profile mine`,
    );
    expect([code, requests]).toEqual([4, []]);
  });

  it("can't send control characters to the terminal", async () => {
    const { run } = await projectWith({
      url: "http://a\n\u001b[2Jappvars: all is well",
      api_key: "x".repeat(10_000),
    });
    const { stderr } = await run("get PORT", CREDENTIALS);
    expect(stderr).toContain("url http://a\\n\\x1b[2Jappvars: all is well, api_key xxx");
    expect(stderr.length).toBeLessThan(1_000);
    expect(stderr.match(/\n/g)).toHaveLength(1);
  });

  it("is shown by config and doctor", async () => {
    const { file, run } = await projectWith({ url: "http://a", timeout: 5 });
    const { code, stdout } = await run("config --json --timeout 7");
    const { settings, problems } = JSON.parse(stdout);
    const row = (name: string) =>
      settings.find(({ setting }: { setting: string }) => setting === name);
    expect(code).toBe(0);
    expect(row("url")).toMatchObject({ value: "http://a", from: `url in ${file} (not allowed)` });
    expect(row("timeout")).toMatchObject({
      value: "7",
      shadows: [{ from: `timeout in ${file} (not allowed)` }],
    });
    expect(problems).toEqual([
      expect.stringContaining(`${file} is not allowed yet, and would set url http://a`),
    ]);
    const refused = JSON.parse((await run("doctor --json")).stdout)[0];
    expect(refused).toMatchObject({
      verdict: "problem",
      fix: "read the file, then run appvars allow",
    });
    const overridden = JSON.parse(
      (await run("doctor --json --url http://127.0.0.1:1 --timeout 1")).stdout,
    )[0];
    expect(overridden).toMatchObject({
      verdict: "warning",
      message: expect.stringContaining("is not allowed yet"),
    });
  });
});

describe("appvars allow", () => {
  it("allow prints the settings of the file, and allows its use", async () => {
    const { url } = await runningServer();
    const { cwd, config, file, run } = await projectWith({ url, timeout: 5 });
    expect(await run("allow")).toEqual({
      code: 0,
      stdout: `file\t${file}\nurl\t${url}\ntimeout\t5\n`,
      stderr: "",
    });
    expect(await run("get PORT", CREDENTIALS)).toEqual({ code: 0, stdout: "3000\n", stderr: "" });
    const below = { cwd: join(cwd, "src"), config, env: CREDENTIALS };
    expect(await runCli(["get", "PORT"], below)).toMatchObject({ code: 0, stdout: "3000\n" });
  });

  it.each(["", ".", ".appvars.json", "src/.."])(
    "allow finds the file by %j, and from a subfolder",
    async (argument) => {
      const { cwd, config, file, run } = await projectWith({ timeout: 5 });
      expect((await run(["allow", "--json", ...(argument ? [argument] : [])])).stdout).toBe(
        `{"file":"${file}","settings":{"timeout":"5"}}\n`,
      );
      const below = await runCli(["allow", ...(argument ? [join(cwd, argument)] : [])], {
        cwd: join(cwd, "src"),
        config,
      });
      expect(below).toMatchObject({ code: 0, stdout: `file\t${file}\ntimeout\t5\n` });
    },
  );

  it("allow escapes control characters of the file on a terminal", async () => {
    const { run } = await projectWith({ url: "http://a\u001b[2J\nurl http://b" });
    const { stdout, stderr } = await run("allow", {}, true);
    expect(stdout).toContain("url          http://a\\x1b[2J\\nurl http://b\n");
    expect(stderr).toBe("appvars: it is used from now on, until it changes\n");
  });

  it("a changed file must be allowed again, and the message says that it changed", async () => {
    const { url } = await runningServer();
    const { run, write } = await projectWith({ url });
    await run("allow");
    await write(`${JSON.stringify({ url })} `);
    expect(await run("get PORT", CREDENTIALS)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("has changed since you allowed it"),
    });
    await run("allow");
    expect(await run("get PORT", CREDENTIALS)).toMatchObject({ code: 0 });
    await write({ url });
    expect(await run("get PORT", CREDENTIALS)).toMatchObject({ code: 2 });
  });

  it("the same file at another path must be allowed separately", async () => {
    const { cwd, config, run } = await projectWith({ timeout: 5 });
    await run("allow");
    expect((await run("list --url http://127.0.0.1:1 --max-wait 0", CREDENTIALS)).code).toBe(5);
    const moved = join(cwd, "src", "moved");
    await mkdir(moved);
    await rename(join(cwd, ".appvars.json"), join(moved, ".appvars.json"));
    const there = await runCli(["list", "--url", "http://127.0.0.1:1"], {
      cwd: moved,
      config,
      env: CREDENTIALS,
    });
    expect(there).toMatchObject({ code: 2, stderr: expect.stringContaining("is not allowed yet") });
  });

  it("a link to an allowed file at another path must be allowed separately", async () => {
    const { cwd, config, file, run } = await projectWith({ timeout: 5 });
    await run("allow");
    const below = join(cwd, "src");
    await symlink(file, join(below, ".appvars.json"));
    const { stderr } = await runCli(["list", "--url", "http://127.0.0.1:1"], {
      cwd: below,
      config,
      env: CREDENTIALS,
    });
    expect(stderr).toContain(`${below}/.appvars.json is not allowed yet`);
  });

  it("allow --revoke withdraws the permission", async () => {
    const { file, run } = await projectWith({ timeout: 5 });
    await run("allow");
    expect(await run("allow --revoke")).toEqual(NOTHING);
    expect(await run("list", CREDENTIALS)).toMatchObject({ code: 2 });
    expect(await run("allow --revoke")).toEqual({
      code: 3,
      stdout: "",
      stderr: `appvars: ${file} was not allowed\n`,
    });
  });

  it("allow --revoke accepts a file that no longer exists", async () => {
    const { file, run } = await projectWith({ timeout: 5 });
    await run("allow");
    await rm(file);
    expect(await run(["allow", "--revoke", file])).toEqual(NOTHING);
  });

  it.each([
    ["{", 2, "is not valid JSON"],
    [
      { api_secret_file: "/home/me/.config/appvars/profiles.json" },
      2,
      "a project can't choose which of your files",
    ],
    [{ ulr: "x" }, 2, '"ulr" in'],
    [undefined, 3, "there is no .appvars.json in"],
  ])("allow stores nothing for %o", async (settings, code, message) => {
    const { config, file, run } = await projectWith(settings ?? {});
    if (settings === undefined) await rm(file);
    expect(await run("allow")).toEqual({
      code,
      stdout: "",
      stderr: expect.stringContaining(message),
    });
    expect(await readdir(config)).toEqual([]);
  });

  it("allow refuses a file with another name", async () => {
    const { file, run } = await projectWith({});
    await rename(file, `${file}.bak`);
    expect(await run(["allow", `${file}.bak`])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is not a folder"),
    });
  });

  it("allow keeps one private entry per file", async () => {
    const { config, run, write } = await projectWith({ timeout: 5 });
    const entries = async () => readdir(join(config, "allowed"));
    for (const timeout of [1, 2, 3]) {
      await write({ timeout });
      await run("allow");
    }
    const [entry = ""] = await entries();
    expect(await entries()).toHaveLength(1);
    const modes = [join(config, "allowed"), join(config, "allowed", entry)].map(
      async (path) => (await stat(path)).mode,
    );
    expect((await Promise.all(modes)).map((mode) => mode & 0o777)).toEqual([0o700, 0o600]);
  });

  it("allow does not write in a folder that is a link", async () => {
    const { config, cwd, run } = await projectWith({ timeout: 5 });
    await symlink(cwd, join(config, "allowed"));
    const before = await readdir(cwd);
    expect(await run("allow")).toMatchObject({
      code: 8,
      stderr: expect.stringContaining("not a link"),
    });
    expect(await readdir(cwd)).toEqual(before);
  });

  it.skipIf(!isRoot).each<[string, (folder: string) => Promise<void>, string]>([
    ["another user owns", (folder) => chown(folder, SOMEBODY, SOMEBODY), "belongs to another user"],
    ["everybody can write", (folder) => chmod(folder, 0o777), "can be written by everybody"],
  ])("allow does not write to a folder that %s", async (_what, spoil, reason) => {
    const { config, run } = await projectWith({ timeout: 5 });
    const allowed = join(config, "allowed");
    await mkdir(allowed, { mode: 0o700 });
    await spoil(allowed);
    expect(await run("allow")).toMatchObject({ code: 8, stderr: expect.stringContaining(reason) });
    expect(await readdir(allowed)).toEqual([]);
  });

  it("allow fails when the permission can't be stored", async () => {
    const { config, run } = await projectWith({ timeout: 5 });
    await writeFile(join(config, "allowed"), "in the way");
    expect(await run("allow")).toMatchObject({
      code: 8,
      stderr: expect.stringContaining(join(config, "allowed")),
    });
  });
});

describe("APPVARS_ALLOW_PROJECT", () => {
  it.each([
    ["1", 0],
    ["true", 0],
    ["", 2],
    ["0", 2],
    ["false", 2],
  ])("APPVARS_ALLOW_PROJECT=%j exits %i", async (text, code) => {
    const { url } = await runningServer();
    const { run } = await projectWith({ url });
    expect((await run("get PORT", { ...CREDENTIALS, APPVARS_ALLOW_PROJECT: text })).code).toBe(
      code,
    );
  });

  it("refuses other texts", async () => {
    const { run } = await projectWith({ timeout: 1 });
    const { code, stderr } = await run("get PORT", { APPVARS_ALLOW_PROJECT: "yes" });
    expect([code, stderr]).toEqual([2, "appvars: APPVARS_ALLOW_PROJECT must be 1 or 0\n"]);
  });
});

describe("an entry that allows a file", () => {
  it.skipIf(!isRoot)("an entry that another user may have written allows nothing", async () => {
    const { config, run } = await projectWith({ timeout: 5 });
    await run("allow");
    const [name = ""] = await readdir(join(config, "allowed"));
    const entry = join(config, "allowed", name);
    const list = async () =>
      (await run("list --url http://127.0.0.1:1 --max-wait 0", CREDENTIALS)).code;
    expect(await list()).toBe(5);
    await chmod(entry, 0o602);
    expect(await list()).toBe(2);
    await chmod(entry, 0o600);
    await chown(entry, SOMEBODY, SOMEBODY);
    expect(await list()).toBe(2);
  });

  it("an entry is valid only for the path and content in it", async () => {
    const { config, file, run } = await projectWith({ timeout: 5 });
    await run("allow");
    const [name = ""] = await readdir(join(config, "allowed"));
    expect(await readFile(join(config, "allowed", name), "utf8")).toMatch(`  ${file}\n`);
    await writeFile(join(config, "allowed", name), `${"0".repeat(64)}  ${file}\n`);
    expect((await run("list", CREDENTIALS)).code).toBe(2);
  });
});

// Windows has no such owners and modes; only root can give a file away.
describe.skipIf(!isRoot)("a .appvars.json that another user may have put there", () => {
  const list = "list --url http://127.0.0.1:1 --max-wait 0";

  it.each<[string, (file: string) => Promise<void>, string]>([
    ["is another user's", (file) => chown(file, SOMEBODY, SOMEBODY), "belongs to another user"],
    [
      "can be written by everybody, in a folder such as /tmp,",
      async (file) => {
        await chmod(file, 0o666);
        await chmod(dirname(file), 0o1777);
      },
      "can be written by everybody",
    ],
    [
      "is of the owner of a folder such as /tmp",
      async (file) => {
        await chown(file, SOMEBODY, SOMEBODY);
        await chown(dirname(file), SOMEBODY, SOMEBODY);
        await chmod(dirname(file), 0o1777);
      },
      "belongs to another user",
    ],
    [
      "is a link to a file of another user than the folder's",
      async (file) => {
        await rename(file, `${file}.far`);
        await symlink(`${file}.far`, file);
        await chown(`${file}.far`, SOMEBODY, SOMEBODY);
      },
      "belongs to another user",
    ],
    [
      "is another user's link to our file",
      async (file) => {
        await rename(file, `${file}.far`);
        await symlink(`${file}.far`, file);
        await lchown(file, SOMEBODY, SOMEBODY);
      },
      "belongs to another user",
    ],
  ])("a .appvars.json that %s is skipped with a note, also in CI", async (_what, spoil, reason) => {
    const { file, run } = await projectWith({ timeout: 0 });
    await spoil(file);
    for (const env of [{}, { APPVARS_ALLOW_PROJECT: "1" }]) {
      const { code, stderr } = await run(list, { ...CREDENTIALS, ...env });
      expect(code).toBe(5);
      expect(stderr.split("\n").filter((line) => line.includes(reason))).toEqual([
        `appvars: ${file} ${reason}: it is not used until you have read it and run appvars allow ${file}`,
      ]);
    }
    expect((await run(`${list} --quiet`, CREDENTIALS)).stderr).not.toContain(reason);
  });

  it.each<[string, (file: string) => Promise<void>]>([
    [
      "a checkout of the runner's user, in a container that runs as root",
      async (file) => {
        await chown(file, SOMEBODY, SOMEBODY);
        await chown(dirname(file), SOMEBODY, SOMEBODY);
      },
    ],
    [
      "a checkout with umask 000",
      async (file) => {
        await chmod(file, 0o666);
        await chmod(dirname(file), 0o777);
      },
    ],
  ])("APPVARS_ALLOW_PROJECT allows a file of the folder's owner: %s", async (_what, spoil) => {
    const { cwd, config, file, run } = await projectWith({ timeout: 0 });
    await spoil(file);
    expect((await run(list, CREDENTIALS)).stderr).toContain("it is not used until");
    const env = { ...CREDENTIALS, APPVARS_ALLOW_PROJECT: "1" };
    for (const folder of [cwd, join(cwd, "src")]) {
      const { code, stderr } = await runCli(list.split(" "), { cwd: folder, config, env });
      expect([code, stderr]).toEqual([2, expect.stringContaining(`timeout in ${file} must be`)]);
    }
  });

  it("another user's .appvars.json does not hide the user's own file in a parent folder", async () => {
    const { cwd, config, file } = await projectWith({ timeout: 0 });
    const below = join(cwd, "src");
    await writeFile(join(below, ".appvars.json"), "{");
    await chown(join(below, ".appvars.json"), SOMEBODY, SOMEBODY);
    const env = { ...CREDENTIALS, APPVARS_ALLOW_PROJECT: "1" };
    expect((await runCli(list.split(" "), { cwd: below, config, env })).stderr).toContain(
      `timeout in ${file} must be`,
    );
  });

  it("another user's .appvars.json must be allowed by its path", async () => {
    const { file, run } = await projectWith({ timeout: 0 });
    await chown(file, SOMEBODY, SOMEBODY);
    expect(await run("allow")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("name it"),
    });
    expect(await run(["allow", file])).toMatchObject({ code: 0 });
    expect((await run(list, CREDENTIALS)).stderr).toContain(`timeout in ${file} must be`);
  });
});

describe.skipIf(process.platform === "win32")("a .appvars.json that can't be read", () => {
  it.each<[string, (file: string) => Promise<void>]>([
    ["a link to itself", (file) => symlink(file, file)],
    ["a link to a device without an end", (file) => symlink("/dev/zero", file)],
  ])("an unreadable .appvars.json is ignored with a note: %s", async (_what, make) => {
    const { url } = await runningServer();
    const { file, run } = await projectWith({});
    await rm(file);
    await make(file);
    const { code, stdout, stderr } = await run("get PORT", { ...CREDENTIALS, APPVARS_URL: url });
    expect([code, stdout]).toEqual([0, "3000\n"]);
    expect(stderr).toMatch(`appvars: continuing without it: ${file} can't be read`);
    expect(stderr.match(/\n/g)).toHaveLength(1);
  });

  it("a folder called .appvars.json is ignored", async () => {
    const { url } = await runningServer();
    const { file, run } = await projectWith({});
    await rm(file);
    await mkdir(file);
    expect(await run("get PORT", { ...CREDENTIALS, APPVARS_URL: url })).toEqual({
      ...NOTHING,
      stdout: "3000\n",
    });
  });
});
