import { mkdir, writeFile } from "node:fs/promises";
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
    const owner = process.getuid?.() ?? 0;
    const read = () => readProjectFile(join(folder, "project"), owner + 1_000);
    // What root has put there is taken.
    if (owner === 0) expect(read().get("url")?.text).toBe("http://theirs");
    else expect(read).toThrow("belongs to another user");
  });
});
