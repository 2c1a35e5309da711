import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "../../../support/cli.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

interface Places {
  flags?: readonly string[];
  env?: Record<string, string>;
  /** Text is written as it is, anything else as JSON. */
  project?: unknown;
  profiles?: unknown;
}

interface Row {
  setting: string;
  value: string | null;
  from: string | null;
  shadows: { setting: string; value: string | null; from: string }[];
}

/** A folder with settings in all places, and the command in it. Its output may hold no secret. */
async function world({ flags = [], project, profiles, ...given }: Places) {
  const env = { APPVARS_ALLOW_PROJECT: "1", ...given.env };
  const cwd = await temporaryFolder();
  const config = join(cwd, "config");
  await mkdir(config);
  const write = (path: string, content: unknown) =>
    writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  if (project) await write(join(cwd, ".appvars.json"), project);
  if (profiles) await write(join(config, "profiles.json"), profiles);
  const run = async (argv: string[], terminal = false) => {
    const result = await runCli(["config", ...flags, ...argv], { cwd, config, env, terminal });
    expect(result.stdout + result.stderr).not.toContain("hunter2");
    return result;
  };
  const json = async (): Promise<{ settings: Row[]; problems: string[] }> => {
    const { code, stdout } = await run(["--json"]);
    expect(code).toBe(0);
    return JSON.parse(stdout);
  };
  const row = async (setting: string) =>
    (await json()).settings.find((item) => item.setting === setting);
  return { cwd, config, run, json, row };
}

const profile = (settings: object) => ({
  version: 1,
  current: "staging",
  profiles: { staging: settings },
});

describe("each setting comes from the strongest place that gives it, and shadows the others:", () => {
  it.each([
    [
      "url",
      "--url",
      "APPVARS_URL",
      true,
      true,
      ["http://a", "http://b", "http://c", "http://d"],
      "http://127.0.0.1:7400",
    ],
    ["api_key", "--api-key", "APPVARS_API_KEY", true, true, ["a", "b", "c", "d"], null],
    ["auth", "--auth", "APPVARS_AUTH", false, true, ["hmac", "headers", "", "headers"], "hmac"],
    ["data", "--data", "APPVARS_DATA", true, true, ["/a", "/b", "/c", "/d"], undefined],
    [
      "store",
      "--store",
      "APPVARS_STORE",
      false,
      true,
      ["etcd://a", "etcd://b", "", "etcd://d"],
      undefined,
    ],
    [
      "seal_key_file",
      "--seal-key-file",
      "APPVARS_SEAL_KEY_FILE",
      false,
      true,
      ["/a", "/b", "", "/d"],
      undefined,
    ],
    ["env", "--env", "APPVARS_ENV", true, true, ["a", "b", "c", "d"], null],
    ["timeout", "--timeout", "APPVARS_TIMEOUT", true, true, ["1", "2", "3", "4"], "10"],
    ["max_wait", "--max-wait", "APPVARS_MAX_WAIT", true, true, ["1", "2", "3", "4"], "60"],
    ["ca_file", "--ca-file", "APPVARS_CA_FILE", true, true, ["/a", "/b", "/c", "/d"], null],
    [
      "client_cert",
      "--client-cert",
      "APPVARS_CLIENT_CERT",
      true,
      true,
      ["/a", "/b", "/c", "/d"],
      null,
    ],
    [
      "client_key",
      "--client-key",
      "APPVARS_CLIENT_KEY",
      true,
      true,
      ["/a", "/b", "/c", "/d"],
      null,
    ],
    ["api_secret_file", "--api-secret-file", "", false, true, ["/a", "", "", "/d"], undefined],
    ["enc_key_file", "--enc-key-file", "", false, true, ["/a", "", "", "/d"], undefined],
  ] as const)(
    "%s comes from the strongest place that gives it",
    async (key, flag, variable, inProject, inProfile, [a, b, c, d], byDefault) => {
      const places: (Places & { value: string; from: (cwd: string) => string })[] = [
        { flags: [flag, a], value: a, from: () => flag },
        ...(variable ? [{ env: { [variable]: b }, value: b, from: () => variable }] : []),
        ...(inProject
          ? [
              {
                project: { [key]: c },
                value: c,
                from: (cwd: string) => `${key} in ${join(cwd, ".appvars.json")}`,
              },
            ]
          : []),
        ...(inProfile
          ? [{ profiles: profile({ [key]: d }), value: d, from: () => `${key} of profile staging` }]
          : []),
      ];
      for (const [index, { value, from }] of places.entries()) {
        const given: Places = Object.assign({}, ...places.slice(index));
        const { cwd, row } = await world(given);
        const shadows = places
          .slice(index + 1)
          .map((location) => ({ setting: key, value: location.value, from: location.from(cwd) }));
        expect(await row(key)).toEqual({ setting: key, value, from: from(cwd), shadows });
      }
      const unset = await (await world({})).row(key);
      if (byDefault === undefined) expect(unset).toBeUndefined();
      else
        expect(unset).toEqual({
          setting: key,
          value: byDefault,
          from: byDefault && "default",
          shadows: [],
        });
    },
  );

  it("config shows the profile and where it is chosen", async () => {
    const profiles = { version: 1, current: "d", profiles: { a: {}, b: {}, c: {}, d: {} } };
    const { cwd, config, row } = await world({
      flags: ["--profile", "a"],
      env: { APPVARS_PROFILE: "b" },
      project: { profile: "c" },
      profiles,
    });
    const current = {
      setting: "profile",
      value: "d",
      from: `current in ${join(config, "profiles.json")}`,
    };
    const shadows = [
      { setting: "profile", value: "b", from: "APPVARS_PROFILE" },
      { setting: "profile", value: "c", from: `profile in ${join(cwd, ".appvars.json")}` },
      current,
    ];
    expect(await row("profile")).toEqual({
      setting: "profile",
      value: "a",
      from: "--profile",
      shadows,
    });
    expect(await (await world({ profiles })).row("profile")).toMatchObject({
      value: "d",
      shadows: [],
    });
    expect(await (await world({})).row("profile")).toMatchObject({ value: null, from: null });
  });

  it("config shows the stronger of url and data", async () => {
    const { row } = await world({
      env: { APPVARS_DATA: "x" },
      profiles: profile({ url: "http://d" }),
    });
    const shadow = { setting: "url", value: "http://d", from: "url of profile staging" };
    expect(await row("data")).toEqual({
      setting: "data",
      value: "x",
      from: "APPVARS_DATA",
      shadows: [shadow],
    });
    expect(await row("url")).toBeUndefined();
  });

  it("config hides secrets", async () => {
    const env = {
      APPVARS_API_SECRET: "hunter2",
      APPVARS_ENC_KEY: "hunter2",
      APPVARS_STORE_PASSWORD: "hunter2",
    };
    const flags = ["--api-secret-file", "/secret"];
    const { row } = await world({ flags, env, profiles: profile({ api_secret: "hunter2" }) });
    const hidden = { setting: "api_secret", value: null, hidden: true };
    expect(await row("api_secret_file")).toMatchObject({
      value: "/secret",
      shadows: [
        { ...hidden, from: "APPVARS_API_SECRET" },
        { ...hidden, from: "api_secret of profile staging" },
      ],
    });
    for (const [setting, from] of [
      ["enc_key", "APPVARS_ENC_KEY"],
      ["store_password", "APPVARS_STORE_PASSWORD"],
    ] as const)
      expect(await row(setting)).toEqual({ setting, value: null, hidden: true, from, shadows: [] });
  });
});

describe("config notes problems, and shows the rest:", () => {
  it.each<[string, Places, string]>([
    ["a wait", { env: { APPVARS_MAX_WAIT: "-1" } }, "APPVARS_MAX_WAIT must be"],
    ["a URL", { env: { APPVARS_URL: "nonsense" } }, "must look like"],
    ["a password in a URL", { env: { APPVARS_URL: "http://me:hunter2@a" } }, "must not contain"],
    [
      "a password in the URL of a store",
      { env: { APPVARS_STORE: "etcd://me:hunter2@a" } },
      "must not contain",
    ],
    [
      "two sources",
      { flags: ["--url", "http://a", "--data", "x"] },
      "--url and --data are mutually exclusive",
    ],
    [
      "a profile that there is not",
      { flags: ["--profile", "nope"] },
      '--profile: there is no profile "nope"',
    ],
    [
      "a current one that there is not",
      { profiles: { version: 1, current: "gone", profiles: {} } },
      '"gone"',
    ],
    ["profiles that are not JSON", { profiles: "hunter2" }, "profiles.json is not valid JSON"],
    [
      "a project's file that is not JSON",
      { project: "hunter2" },
      ".appvars.json is not valid JSON",
    ],
    ["an unknown key", { project: { hostname: "hunter2" } }, '"hostname" in'],
    [
      "a secret of the project",
      { project: { api_secret: "hunter2" } },
      "does not belong in a file that is shared",
    ],
    ["an environment without a file", { flags: ["--env", "x"] }, "add --data"],
    [
      "a profile's secret for the project's server",
      {
        project: { url: "http://a" },
        profiles: profile({ url: "http://b", api_secret: "hunter2" }),
      },
      "another server",
    ],
  ])("config notes %s", async (_what, places, problem) => {
    const { json, run } = await world({ ...places, env: { APPVARS_TIMEOUT: "7", ...places.env } });
    const { settings, problems } = await json();
    expect(problems).toEqual([expect.stringContaining(problem)]);
    expect(settings.find(({ setting }) => setting === "timeout")).toMatchObject({
      value: "7",
      from: "APPVARS_TIMEOUT",
    });
    expect((await run([])).stderr).toContain(problem);
  });
});

describe("config prints", () => {
  const places = {
    flags: ["--url", "http://a"],
    env: { APPVARS_URL: "http://b", APPVARS_API_SECRET: "hunter2" },
  };

  it("lines of four fields when piped", async () => {
    const { stdout, stderr } = await (await world(places)).run([]);
    expect(stderr).toBe("");
    const lines = stdout.split("\n").slice(0, -1);
    expect(lines.every((line) => line.split("\t").length === 4)).toBe(true);
    expect(lines).toContain("url\thttp://a\t--url\tAPPVARS_URL");
    expect(lines).toContain("api_secret\t(hidden)\tAPPVARS_API_SECRET\t");
    expect(lines).toContain("timeout\t10\tdefault\t");
    expect(lines).toContain("ca_file\t\t\t");
  });

  it("a table on a terminal", async () => {
    const { stdout } = await (await world(places)).run(["--no-color"], true);
    expect(stdout).toMatch(/^SETTING +VALUE +FROM +SHADOWS\n/);
    expect(stdout).toMatch(/^url +http:\/\/a +--url +APPVARS_URL$/m);
    expect(stdout).toMatch(/^ca_file +\(not set\)$/m);
  });
});
