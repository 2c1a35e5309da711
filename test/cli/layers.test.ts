import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { layersOf } from "../../src/cli/layers.js";
import { readProjectFile } from "../../src/cli/project-file.js";
import { findSetting, type SettingName } from "../../src/cli/settings.js";
import { temporaryFolder } from "../support/temporary-folder.js";

interface Places {
  flags?: Record<string, string>;
  env?: Record<string, string>;
  project?: object;
  profiles?: object;
}

/** A world with settings in all four kinds of places, and a reader of what is in effect there. */
async function world({ flags = {}, env = {}, project, profiles }: Places) {
  const folder = await temporaryFolder();
  const cwd = join(folder, "project", "src", "deep");
  const config = join(folder, "config");
  await mkdir(cwd, { recursive: true });
  await mkdir(config);
  if (project) await writeFile(join(folder, "project", ".appvars.json"), JSON.stringify(project));
  if (profiles) await writeFile(join(config, "profiles.json"), JSON.stringify({ version: 1, ...profiles }));
  const io = { env, cwd, folders: { config, cache: "" }, user: process.getuid?.() };
  return { folder, find: (name: SettingName) => findSetting(layersOf(flags, io), name) };
}

const PROFILES = { current: "local", profiles: { local: { url: "http://local" }, staging: { url: "http://staging" } } };

describe("which place wins", () => {
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
  ])("%s", async (_what, without, url) => {
    const { find } = await world({ ...everywhere, ...without });
    expect(find("url")?.text).toBe(url);
  });

  it("none, where there is none", async () => {
    expect((await world({})).find("url")).toBeUndefined();
  });
});

describe("which profile is taken", () => {
  it.each([
    ["the flag's", { flags: { profile: "staging" }, env: { APPVARS_PROFILE: "local" } }, "http://staging"],
    ["the variable's", { env: { APPVARS_PROFILE: "staging" }, project: { profile: "local" } }, "http://staging"],
    ["the project's", { project: { profile: "staging" } }, "http://staging"],
    ["the current one", {}, "http://local"],
  ])("%s", async (_what, places, url) => {
    const { find } = await world({ profiles: PROFILES, ...places });
    expect(find("url")).toMatchObject({ text: url, from: expect.stringMatching(/^url of profile (staging|local)$/) });
  });

  it.each([
    [{ flags: { profile: "prod" } }, '--profile: there is no profile "prod"; there is local, staging'],
    [{ flags: { profile: "constructor" } }, 'there is no profile "constructor"'],
    [{ profiles: { current: "gone", profiles: {} } }, 'there is no profile "gone"; there is none yet'],
    [{ profiles: { version: 2, profiles: {} } }, "must be 1"],
    [{ profiles: { profiles: { local: [] } } }, "must be a JSON object"],
    [{ profiles: { profiles: {}, secret: "hunter2" } }, '"secret"'],
  ])("refuses %o", async (places: Places, message) => {
    const { find } = await world({ profiles: PROFILES, ...places });
    expect(() => find("url")).toThrow(message);
  });
});

describe(".appvars.json", () => {
  it("is the nearest one above, whole", async () => {
    const { folder, find } = await world({ project: { url: "http://far", timeout: 5 } });
    await writeFile(join(folder, "project", "src", ".appvars.json"), '{"url": "http://near"}');
    expect([find("url")?.text, find("timeout")]).toEqual(["http://near", undefined]);
  });

  it("is not read when it belongs to another user, whom it would let choose the server", async () => {
    const { folder } = await world({ project: { url: "http://theirs" } });
    const path = join(folder, "project", ".appvars.json");
    const owner = process.getuid?.() ?? 0;
    // Only root can give a file away; what root owns is taken from it.
    if (owner === 0) await chown(path, 1_234, 1_234);
    const reader = owner === 0 ? 0 : owner + 1;
    expect(() => readProjectFile(join(folder, "project"), reader)).toThrow("belongs to another user");
  });

  it("is not read when everybody may write it", async () => {
    const { folder } = await world({ project: { url: "http://anybody" } });
    await chmod(join(folder, "project", ".appvars.json"), 0o666);
    expect(() => readProjectFile(join(folder, "project"), process.getuid?.())).toThrow("can be written by everybody");
  });
});

describe("a profile that there is not", () => {
  it.each([
    ["that the project names", { project: { profile: "staging" } }],
    ["that was the current one", { profiles: { current: "gone", profiles: {} } }],
  ])("is done without, where the environment says all: one %s", async (_what, places) => {
    const { find } = await world({ env: { APPVARS_URL: "http://variable" }, ...places });
    expect(find("url")?.text).toBe("http://variable");
  });

  it("is an error where it was asked for", async () => {
    const { find } = await world({ env: { APPVARS_URL: "http://variable", APPVARS_PROFILE: "nope" } });
    expect(() => find("url")).toThrow('APPVARS_PROFILE: there is no profile "nope"');
  });
});
