import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { addProfile, checkProfileName, removeProfiles, useProfile } from "../../src/cli/edit-profiles.js";
import { type Profiles, readProfiles } from "../../src/cli/profiles.js";
import { updateProfiles } from "../../src/cli/update-profiles.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const mode = async (path: string) => (await stat(path)).mode & 0o777;
const add = (name: string) => (profiles: Profiles) => addProfile(profiles, name, { url: `http://${name}` });

describe("writing profiles", () => {
  let config: string;
  let path: string;
  beforeEach(async () => {
    config = join(await temporaryFolder(), "deep", "config");
    path = join(config, "profiles.json");
  });

  it("makes the folder and the file for the user alone", async () => {
    await updateProfiles(path, add("dev"));
    expect([await mode(config), await mode(path)]).toEqual([0o700, 0o600]);
    expect(readProfiles(path)).toEqual({ version: 1, current: "dev", profiles: { dev: { url: "http://dev" } } });
  });

  it("mends a loose mode, and leaves nothing else behind", async () => {
    await updateProfiles(path, add("dev"));
    await chmod(path, 0o644);
    await writeFile(join(config, ".profiles.json.0123456789ab.tmp"), "of a killed writer");
    await updateProfiles(path, add("test"));
    expect(await mode(path)).toBe(0o600);
    expect(await readdir(config)).toEqual(["profiles.json"]);
  });

  it("loses none of many changes at once", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
    await Promise.all(names.map((name) => updateProfiles(path, add(name))));
    const { current, profiles } = readProfiles(path);
    expect(Object.keys(profiles).sort()).toEqual([...names].sort());
    expect(names).toContain(current);
  });

  it("writes behind a link, and leaves the link", async () => {
    const far = join(await temporaryFolder(), "dotfiles.json");
    await writeFile(far, '{"version": 1, "profiles": {}}');
    await mkdir(config, { recursive: true });
    await symlink(far, path);
    await updateProfiles(path, add("dev"));
    expect((await lstat(path)).isSymbolicLink()).toBe(true);
    expect([await mode(far), Object.keys(readProfiles(far).profiles)]).toEqual([0o600, ["dev"]]);
  });

  it("leaves out a current profile that there is not", async () => {
    await updateProfiles(path, () => ({ version: 1, current: "gone", profiles: { dev: {} } }));
    expect(readProfiles(path)).toEqual({ version: 1, profiles: { dev: {} } });
  });

  it.each([
    ["not JSON", '{"hunter2'],
    ["of another version", '{"version": 2, "profiles": {}}'],
  ])("leaves a file that is %s as it is", async (_what, text) => {
    await mkdir(config, { recursive: true });
    await writeFile(path, text);
    await expect(updateProfiles(path, add("dev"))).rejects.toMatchObject({ code: "usage" });
    expect(await readFile(path, "utf8")).toBe(text);
    expect(await readdir(config)).toEqual(["profiles.json"]);
  });

  it("says so when it can't be written", async () => {
    await writeFile(join(config, "..", "..", "file"), "");
    const inFile = join(config, "..", "..", "file", "profiles.json");
    await expect(updateProfiles(inFile, add("dev"))).rejects.toMatchObject({
      code: "invalid_data",
      message: expect.stringContaining(inFile),
    });
  });
});

describe("edits of profiles", () => {
  const two: Profiles = { version: 1, current: "dev", profiles: { dev: {}, staging: {} } };

  it("make the first one current, and no later one", () => {
    const first = addProfile({ version: 1, profiles: {} }, "a", {});
    expect([first.current, addProfile(first, "b", {}).current]).toEqual(["a", "a"]);
    expect(addProfile({ version: 1, profiles: { a: {} } }, "b", {})).not.toHaveProperty("current");
  });

  it("take __proto__ for a name like any other", () => {
    const added = addProfile(two, "__proto__", { url: "http://proto" });
    expect(Object.keys(added.profiles)).toEqual(["dev", "staging", "__proto__"]);
    expect(JSON.parse(JSON.stringify(useProfile(added, "__proto__")))).toMatchObject({ current: "__proto__" });
    expect(removeProfiles(added, ["__proto__"]).profiles).toEqual(two.profiles);
    expect(() => useProfile(two, "__proto__")).toThrow('there is no profile "__proto__"');
    expect(() => removeProfiles(two, ["constructor"])).toThrow('there is no profile "constructor"');
  });

  it("remove all or none", () => {
    expect(() => removeProfiles(two, ["dev", "stagin", "xyz"])).toThrow(
      'there is no profile "stagin" (did you mean staging?); there is no profile "xyz"; there is dev, staging',
    );
    expect(removeProfiles(two, ["staging", "dev"]).profiles).toEqual({});
  });

  it.each(["dev", "a.b-c_1", "7", "__proto__", "x".repeat(64)])("take %o for a name", (name) => {
    expect(() => checkProfileName(name)).not.toThrow();
  });

  it.each(["", "-x", ".x", "a b", "a/b", "a\n", "ü", "x".repeat(65)])("refuse the name %o", (name) => {
    expect(() => checkProfileName(name)).toThrow("1 to 64 letters");
  });
});
