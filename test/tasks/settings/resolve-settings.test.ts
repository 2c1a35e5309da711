import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSettings } from "../../../src/tasks/settings/resolve-settings.js";
import type { SettingName } from "../../../src/tasks/settings/setting-table.js";
import { aCaller } from "../../support/caller.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

interface Places {
  flags?: Record<string, string>;
  env?: Record<string, string>;
  project?: object;
  profiles?: object;
}

/** A world with settings in all four kinds of places, and a reader of the settings in effect. */
async function world({ flags = {}, env = {}, project, profiles }: Places) {
  const folder = await temporaryFolder();
  const cwd = join(folder, "project", "src", "deep");
  const config = join(folder, "config");
  await mkdir(cwd, { recursive: true });
  await mkdir(config);
  if (project) await writeFile(join(folder, "project", ".appvars.json"), JSON.stringify(project));
  if (profiles)
    await writeFile(join(config, "profiles.json"), JSON.stringify({ version: 1, ...profiles }));
  const folders = { config, cache: "" };
  const own = { APPVARS_ALLOW_PROJECT: "1", ...env };
  const caller = aCaller({ env: own, cwd: () => cwd, folders });
  return { folder, find: (name: SettingName) => readSettings(flags, caller).find(name) };
}

const PROFILES = {
  current: "local",
  profiles: { local: { url: "http://local" }, staging: { url: "http://staging" } },
};

describe("the order of places", () => {
  const everywhere: Required<Places> = {
    flags: { url: "http://flag" },
    env: { APPVARS_URL: "http://variable" },
    project: { url: "http://project" },
    profiles: PROFILES,
  };

  it.each([
    ["a flag", {}, "http://flag"],
    ["else a variable", { flags: {} }, "http://variable"],
    ["else .appvars.json", { flags: {}, env: {} }, "http://project"],
    ["else the profile", { flags: {}, env: {}, project: {} }, "http://local"],
  ])("%s gives the setting", async (_what, without, url) => {
    const { find } = await world({ ...everywhere, ...without });
    expect(find("url")?.text).toBe(url);
  });

  it("a setting that no location gives is undefined", async () => {
    expect((await world({})).find("url")).toBeUndefined();
  });
});

describe("the profile in use", () => {
  it.each([
    [
      "the flag's",
      { flags: { profile: "staging" }, env: { APPVARS_PROFILE: "local" } },
      "http://staging",
    ],
    [
      "the variable's",
      { env: { APPVARS_PROFILE: "staging" }, project: { profile: "local" } },
      "http://staging",
    ],
    ["the project's", { project: { profile: "staging" } }, "http://staging"],
    ["the current one", {}, "http://local"],
  ])("is %s", async (_what, places, url) => {
    const { find } = await world({ profiles: PROFILES, ...places });
    expect(find("url")).toMatchObject({
      text: url,
      from: expect.stringMatching(/^url of profile (staging|local)$/),
    });
  });

  it.each([
    [
      { flags: { profile: "prod" } },
      '--profile: there is no profile "prod"; the profiles are local, staging',
    ],
    [{ flags: { profile: "constructor" } }, 'there is no profile "constructor"'],
    [
      { profiles: { current: "gone", profiles: {} } },
      'there is no profile "gone"; there are none yet',
    ],
    [{ profiles: { version: 2, profiles: {} } }, "must be 1"],
    [{ profiles: { profiles: { local: [] } } }, "must be a JSON object"],
    [{ profiles: { profiles: {}, secret: "hunter2" } }, "secret is not a known field"],
  ])("reading settings refuses %o", async (places: Places, message) => {
    const { find } = await world({ profiles: PROFILES, ...places });
    expect(() => find("url")).toThrow(message);
  });
});

describe(".appvars.json", () => {
  it("settings come from the nearest .appvars.json above, and from no other", async () => {
    const { folder, find } = await world({ project: { url: "http://far", timeout: 5 } });
    await writeFile(join(folder, "project", "src", ".appvars.json"), '{"url": "http://near"}');
    expect([find("url")?.text, find("timeout")]).toEqual(["http://near", undefined]);
  });
});

describe("a profile that does not exist", () => {
  it.each([
    ["that the project names", { project: { profile: "staging" } }],
    ["that was the current one", { profiles: { current: "gone", profiles: {} } }],
  ])("is ignored if the environment gives the server: one %s", async (_what, places) => {
    const { find } = await world({ env: { APPVARS_URL: "http://variable" }, ...places });
    expect(find("url")?.text).toBe("http://variable");
  });

  it("is an error if a variable names it", async () => {
    const { find } = await world({
      env: { APPVARS_URL: "http://variable", APPVARS_PROFILE: "nope" },
    });
    expect(() => find("url")).toThrow('APPVARS_PROFILE: there is no profile "nope"');
  });
});
