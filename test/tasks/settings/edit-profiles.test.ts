import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  addProfile,
  removeProfiles,
  updateProfiles,
  useProfile,
} from "../../../src/tasks/settings/edit-profiles.js";
import { type Profiles, readProfiles } from "../../../src/tasks/settings/profiles.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const ACCOUNT = { user: process.getuid?.(), groups: process.getgroups?.() ?? [] };
const mode = async (path: string) => (await stat(path)).mode & 0o777;
const add = (name: string) => (profiles: Profiles) =>
  addProfile(profiles, name, { url: `http://${name}` });

describe("writing profiles", () => {
  let config: string;
  let path: string;
  beforeEach(async () => {
    config = join(await temporaryFolder(), "deep", "config");
    path = join(config, "profiles.json");
  });

  it("updateProfiles creates a folder and a file that only the user can access", async () => {
    await updateProfiles(path, ACCOUNT, add("dev"));
    expect([await mode(config), await mode(path)]).toEqual([0o700, 0o600]);
    expect(readProfiles(path, ACCOUNT)).toEqual({
      version: 1,
      current: "dev",
      profiles: { dev: { url: "http://dev" } },
    });
  });

  // Node's own way to create parents never returns there.
  it.skipIf(process.platform !== "linux")(
    "updateProfiles fails where no folder can be created",
    async () => {
      const failing = updateProfiles("/proc/no/such/profiles.json", ACCOUNT, add("dev"));
      await expect(failing).rejects.toThrow(
        "/proc/no/such/profiles.json can't be written: no such file or folder",
      );
    },
  );

  it("updateProfiles restricts a loose mode, and leaves no other file behind", async () => {
    await updateProfiles(path, ACCOUNT, add("dev"));
    await chmod(path, 0o644);
    await writeFile(join(config, ".profiles.json.0123456789ab.tmp"), "of a killed writer");
    await updateProfiles(path, ACCOUNT, add("test"));
    expect(await mode(path)).toBe(0o600);
    expect(await readdir(config)).toEqual(["profiles.json"]);
  });

  it("updateProfiles loses no concurrent change", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
    await Promise.all(names.map((name) => updateProfiles(path, ACCOUNT, add(name))));
    const { current, profiles } = readProfiles(path, ACCOUNT);
    expect(Object.keys(profiles).sort()).toEqual([...names].sort());
    expect(names).toContain(current);
  });

  it("updateProfiles writes to the target of a link, and keeps the link", async () => {
    const far = join(await temporaryFolder(), "dotfiles.json");
    await writeFile(far, '{"version": 1, "profiles": {}}');
    await mkdir(config, { recursive: true });
    await symlink(far, path);
    await updateProfiles(path, ACCOUNT, add("dev"));
    expect((await lstat(path)).isSymbolicLink()).toBe(true);
    expect([await mode(far), Object.keys(readProfiles(far, ACCOUNT).profiles)]).toEqual([
      0o600,
      ["dev"],
    ]);
  });

  it("updateProfiles removes a current profile that does not exist", async () => {
    await updateProfiles(path, ACCOUNT, () => ({
      version: 1,
      current: "gone",
      profiles: { dev: {} },
    }));
    expect(readProfiles(path, ACCOUNT)).toEqual({ version: 1, profiles: { dev: {} } });
  });

  it.each([
    ["not JSON", '{"hunter2'],
    ["of another version", '{"version": 2, "profiles": {}}'],
  ])("updateProfiles does not change a file that is %s", async (_what, text) => {
    await mkdir(config, { recursive: true });
    await writeFile(path, text);
    await expect(updateProfiles(path, ACCOUNT, add("dev"))).rejects.toMatchObject({
      code: "usage",
    });
    expect(await readFile(path, "utf8")).toBe(text);
    expect(await readdir(config)).toEqual(["profiles.json"]);
  });

  it("updateProfiles reports a file that can't be written", async () => {
    await writeFile(join(config, "..", "..", "file"), "");
    const inFile = join(config, "..", "..", "file", "profiles.json");
    await expect(updateProfiles(inFile, ACCOUNT, add("dev"))).rejects.toMatchObject({
      code: "invalid_data",
      message: expect.stringContaining(inFile),
    });
  });
});

describe("edits of profiles", () => {
  const two: Profiles = { version: 1, current: "dev", profiles: { dev: {}, staging: {} } };

  it("addProfile makes only the first profile current", () => {
    const first = addProfile({ version: 1, profiles: {} }, "a", {});
    expect([first.current, addProfile(first, "b", {}).current]).toEqual(["a", "a"]);
    expect(addProfile({ version: 1, profiles: { a: {} } }, "b", {})).not.toHaveProperty("current");
  });

  it("the functions for profiles treat __proto__ like any other name", () => {
    const added = addProfile(two, "__proto__", { url: "http://proto" });
    expect(Object.keys(added.profiles)).toEqual(["dev", "staging", "__proto__"]);
    expect(JSON.parse(JSON.stringify(useProfile(added, "__proto__")))).toMatchObject({
      current: "__proto__",
    });
    expect(removeProfiles(added, ["__proto__"]).profiles).toEqual(two.profiles);
    expect(() => useProfile(two, "__proto__")).toThrow('there is no profile "__proto__"');
    expect(() => removeProfiles(two, ["constructor"])).toThrow('there is no profile "constructor"');
  });

  it("removeProfiles removes all or none", () => {
    expect(() => removeProfiles(two, ["dev", "stagin", "xyz"])).toThrow(
      'there is no profile "stagin" (did you mean staging?); there is no profile "xyz"; the profiles are dev, staging',
    );
    expect(removeProfiles(two, ["staging", "dev"]).profiles).toEqual({});
  });
});
