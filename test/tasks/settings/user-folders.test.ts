import { chmod, chown, mkdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { refuseNoHome, userFolders } from "../../../src/kit/process/this-process.js";
import { findPlaces } from "../../../src/tui/adapters/find-places.js";
import { aCaller } from "../../support/caller.js";
import { runCli, runWith } from "../../support/cli.js";
import { DATA } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { serverEnvironment } from "../../support/running-server.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const SOMEBODY = 12_345;
const isRoot = process.getuid?.() === 0;

// The paths are those of the system that the tests run on.
describe.skipIf(process.platform === "win32")("the user's folders", () => {
  const at = (home: string) => () => home;
  const fails = () => {
    throw new Error("uv_os_homedir returned ENOENT");
  };

  it.each<[string, NodeJS.Platform, Record<string, string>, string, string]>([
    ["Linux", "linux", {}, "/home/me/.config/appvars", "/home/me/.cache/appvars"],
    ["XDG", "linux", { XDG_CONFIG_HOME: "/c", XDG_CACHE_HOME: "/d" }, "/c/appvars", "/d/appvars"],
    [
      "macOS",
      "darwin",
      {},
      "/home/me/Library/Preferences/appvars",
      "/home/me/Library/Caches/appvars",
    ],
  ])("follow the rules of %s", (_what, platform, env, config, cache) => {
    expect(userFolders(env, platform, at("/home/me"))).toEqual({ config, cache });
  });

  it.each([
    ["Windows", { APPDATA: "D:\\r", LOCALAPPDATA: "\\\\host\\l" }, "D:\\r", "\\\\host\\l"],
    [
      "Windows by default",
      { APPDATA: "r" },
      "C:\\Users\\me\\AppData\\Roaming",
      "C:\\Users\\me\\AppData\\Local",
    ],
  ])("follow the rules of %s", (_what, env, roaming, local) => {
    const folders = { config: `${roaming}\\appvars\\Config`, cache: `${local}\\appvars\\Cache` };
    expect(userFolders(env, "win32", at("C:\\Users\\me"))).toEqual(folders);
  });

  it.each(["", ".", "home"])("relative homes and XDG folders are ignored: %j", (relative) => {
    const env = { XDG_CONFIG_HOME: relative, XDG_CACHE_HOME: relative };
    expect(userFolders(env, "linux", at("/home/me")).config).toBe("/home/me/.config/appvars");
    expect(userFolders(env, "linux", at(relative)).config).toBe("/dev/null/.config/appvars");
  });

  it("the folders of a user without a home can't be created", () => {
    expect(userFolders({}, "linux", fails).config).toBe("/dev/null/.config/appvars");
    const onWindows = userFolders({}, "win32", fails);
    expect(onWindows.config).toBe("\\\\.\\nul\\AppData\\Roaming\\appvars\\Config");
    expect(() => refuseNoHome(onWindows)).toThrow("set USERPROFILE or APPDATA");
  });
});

describe("a config folder below a file", () => {
  it.each(["profile add x --no-check --url http://a", "allow"])(
    "makes %s fail with words, not a code",
    async (line) => {
      const folder = await temporaryFolder();
      await writeFile(join(folder, ".appvars.json"), "{}");
      await writeFile(join(folder, "file"), "");
      const { code, stderr } = await runCli(line.split(" "), {
        cwd: folder,
        config: join(folder, "file", "appvars"),
      });
      expect([code, stderr]).toEqual([
        8,
        expect.stringContaining("part of the path is not a folder"),
      ]);
    },
  );
});

// Windows has no such links, and no such owners.
describe.skipIf(process.platform === "win32")("a config folder that can't be read", () => {
  /** Not even by root: it is a link to itself. */
  async function unreadable(): Promise<{ config: string; note: string }> {
    const config = join(await temporaryFolder(), "config");
    await symlink(config, config);
    return {
      config,
      note: `appvars: continuing without profiles: ${config}/profiles.json can't be read (ELOOP)\n`,
    };
  }

  it.each([
    "get PORT",
    "list",
    "show PORT",
    "export --format json",
    "show PORT",
    "health",
    "sign GET /v1/variables",
  ])(
    "an unreadable profiles file is only a note for %s if the environment gives all settings",
    async (line) => {
      const { config, note } = await unreadable();
      const { code, stdout, stderr } = await runCli(line.split(" "), {
        config,
        env: await serverEnvironment(),
      });
      expect([code, stderr]).toEqual([0, note]);
      expect(stdout).not.toBe("");
    },
  );

  it("an unreadable profiles file is a note for get, also with an invalid flag, but not with --quiet", async () => {
    const { config, note } = await unreadable();
    const world = { config, env: await serverEnvironment() };
    expect(await runCli(["get", "PORT", "--quiet"], world)).toEqual({
      code: 0,
      stdout: "3000\n",
      stderr: "",
    });
    const refused = await runCli(["get", "PORT", "--timeout", "0"], world);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(note) });
  });

  it("an unreadable profiles file is noted once for a data file", async () => {
    const { config, note } = await unreadable();
    const { path } = await dataFile(DATA);
    const env = { APPVARS_DATA: path, APPVARS_ENV: "test" };
    const argv = ["get", "DATABASE_URL"];
    expect((await runCli(argv, { config, env })).stderr).toBe(note);
    expect((await runCli(["serve", "--port", "0"], { config, env })).stderr).toContain(note);
    expect(await runCli(["set", "DATABASE_URL", "x"], { config, env })).toEqual({
      code: 0,
      stdout: "",
      stderr: note,
    });
  });

  it("an unreadable profiles file does not affect the TUI, and config and doctor report it", async () => {
    const { config } = await unreadable();
    const world = { config, env: await serverEnvironment() };
    const { code: found } = await runWith(
      (io) =>
        findPlaces({}, aCaller(io.surroundings, { warn: (text) => void io.stderr.write(text) })),
      world,
    );
    expect(found.places).toHaveLength(1);
    await found.close();
    const told = `continuing without profiles: ${config}/profiles.json can't be read (ELOOP)`;
    expect(JSON.parse((await runCli(["config", "--json"], world)).stdout).problems).toEqual([told]);
    const { code, stdout, stderr } = await runCli(["doctor", "--json"], world);
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)[0]).toMatchObject({
      check: "settings",
      verdict: "warning",
      message: told,
    });
  });

  it("an unreadable profiles file is an error for a named profile and for the profile commands", async () => {
    const { config } = await unreadable();
    const env = await serverEnvironment();
    const failure = {
      code: 2,
      stdout: "",
      stderr: `appvars: ${config}/profiles.json can't be read (ELOOP)\n`,
    };
    expect(await runCli(["get", "PORT", "--profile", "x"], { config, env })).toEqual(failure);
    expect(
      await runCli(["get", "PORT"], { config, env: { ...env, APPVARS_PROFILE: "x" } }),
    ).toEqual(failure);
    expect(await runCli(["profile", "list"], { config })).toEqual(failure);
    expect(
      await runCli(["profile", "add", "x", "--no-check", "--url", "http://a"], { config }),
    ).toEqual(failure);
  });
});

describe("a profiles file that breaks a rule", () => {
  const BROKEN: [string, string, string][] = [
    ["no JSON", "{", "is not valid JSON"],
    ["a list", "[]", "must be a JSON object"],
    ["another version", '{"version":2,"profiles":{}}', "must be 1"],
    [
      "a current profile with an unknown key",
      '{"version":1,"current":"p","profiles":{"p":{"pasword":"hunter2"}}}',
      '"pasword" of profile p is not a setting',
    ],
    ["more than 1 MB", " ".repeat(1_024 * 1_024 + 1), "is larger than 1024 KB"],
  ];

  async function broken(text: string): Promise<string> {
    const config = await temporaryFolder();
    await writeFile(join(config, "profiles.json"), text, { mode: 0o600 });
    return config;
  }

  it.each(BROKEN)(
    "an invalid profiles file is a note if the environment gives all settings: %s",
    async (_what, text, reason) => {
      const world = { config: await broken(text), env: await serverEnvironment() };
      for (const line of ["get PORT", "list", "health"]) {
        const { code, stdout, stderr } = await runCli(line.split(" "), world);
        expect([code, stderr]).toEqual([0, expect.stringContaining(reason)]);
        expect(stderr).toMatch(/^appvars: continuing without profiles: [^\n]*\n$/);
        expect(stdout).not.toBe("");
      }
      const { code: found } = await runWith(
        (io) => findPlaces({}, aCaller(io.surroundings)),
        world,
      );
      expect(found.places[0]).toMatchObject({ kind: "server" });
      await found.close();
      expect(JSON.parse((await runCli(["config", "--json"], world)).stdout).problems).toEqual([
        expect.stringContaining(reason),
      ]);
    },
  );

  it.each(BROKEN)(
    "an invalid profiles file is a note for a data file and if an allowed project names the server: %s",
    async (_what, text, reason) => {
      const config = await broken(text);
      const { path } = await dataFile(DATA);
      const world = { config, env: { APPVARS_DATA: path, APPVARS_ENV: "test" } };
      const local = await runCli(["get", "DATABASE_URL"], world);
      expect([local.code, local.stderr]).toEqual([0, expect.stringContaining(reason)]);
      const cwd = await temporaryFolder();
      const { APPVARS_URL: url, ...env } = { APPVARS_URL: "", ...(await serverEnvironment()) };
      await writeFile(join(cwd, ".appvars.json"), JSON.stringify({ url }));
      const allowed = { config, cwd, env: { ...env, APPVARS_ALLOW_PROJECT: "1" } };
      const remote = await runCli(["get", "PORT"], allowed);
      expect([remote.code, remote.stderr]).toEqual([0, expect.stringContaining(reason)]);
    },
  );

  it.each(BROKEN)(
    "an invalid profiles file is an error if it is needed or a profile is named: %s",
    async (_what, text, reason) => {
      const config = await broken(text);
      const { APPVARS_URL: _url, ...keys } = { APPVARS_URL: "", ...(await serverEnvironment()) };
      const failure = { code: 2, stdout: "", stderr: expect.stringContaining(reason) };
      expect(await runCli(["get", "PORT"], { config, env: keys })).toEqual(failure);
      const env = await serverEnvironment();
      expect(await runCli(["get", "PORT", "--profile", "p"], { config, env })).toEqual(failure);
      expect(
        await runCli(["get", "PORT"], { config, env: { ...env, APPVARS_PROFILE: "p" } }),
      ).toEqual(failure);
      const cwd = await temporaryFolder();
      await writeFile(join(cwd, ".appvars.json"), '{"profile":"p"}');
      const allowed = { config, cwd, env: { ...env, APPVARS_ALLOW_PROJECT: "1" } };
      expect(await runCli(["get", "PORT"], allowed)).toEqual(failure);
    },
  );
});

describe.skipIf(!isRoot)("profiles that another user may have written", () => {
  const PROFILES = {
    version: 1,
    current: "p",
    profiles: { p: { url: "http://stranger", api_secret: "hunter2" } },
  };

  async function withProfiles() {
    const config = join(await temporaryFolder(), "config");
    await mkdir(config, { mode: 0o700 });
    const path = join(config, "profiles.json");
    await writeFile(path, JSON.stringify(PROFILES), { mode: 0o600 });
    return { config, path };
  }

  it.each<[string, (config: string, path: string) => Promise<void>, string]>([
    [
      "his file, as with sudo -E",
      (_, path) => chown(path, SOMEBODY, SOMEBODY),
      "profiles.json belongs to another user",
    ],
    [
      "a file that every user may write",
      (_, path) => chmod(path, 0o622),
      "profiles.json can be written by everybody",
    ],
  ])("are ignored with a note: %s", async (_what, spoil, reason) => {
    const { config, path } = await withProfiles();
    await spoil(config, path);
    const env = await serverEnvironment();
    const { code, stdout, stderr } = await runCli(["get", "PORT"], { config, env });
    expect([code, stdout]).toEqual([0, "3000\n"]);
    expect(stderr).toMatch(new RegExp(`^appvars: continuing without profiles: .*${reason}`));
    expect((await runCli(["config"], { config })).stdout).not.toContain("stranger");
    const named = await runCli(["get", "PORT", "--profile", "p"], { config, env });
    expect(named).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(reason) });
    const before = await stat(path);
    const edit = await runCli(["profile", "add", "q", "--no-check", "--url", "http://a"], {
      config,
    });
    expect(edit).toMatchObject({ code: 2, stderr: expect.stringMatching(reason) });
    expect((await stat(path)).ino).toBe(before.ino);
  });

  it("a profile that names another user's secret file causes a note, also from doctor", async () => {
    const { config, path } = await withProfiles();
    const secret = join(config, "secret");
    await writeFile(secret, "dev-secret");
    await chown(secret, SOMEBODY, SOMEBODY);
    const { APPVARS_API_SECRET: _, ...env } = await serverEnvironment();
    const profiles = { ...PROFILES, profiles: { p: { api_secret_file: secret } } };
    await writeFile(path, JSON.stringify(profiles), { mode: 0o600 });
    const told = `api_secret_file of profile p ${secret} belongs to another user, who could choose the secret`;
    expect(await runCli(["get", "PORT"], { config, env })).toEqual({
      code: 0,
      stdout: "3000\n",
      stderr: `appvars: ${told}\n`,
    });
    const { stdout, stderr } = await runCli(["doctor", "--json"], { config, env });
    expect([JSON.parse(stdout)[0].message, stderr]).toEqual([told, ""]);
  });
});
