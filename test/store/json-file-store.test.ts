import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { InvalidDataError } from "../../src/domain/errors.js";
import { createDataFile, openDataFile } from "../../src/store/json-file-store.js";
import { DATA } from "../support/data.js";
import { temporaryFolder } from "../support/temporary-folder.js";

describe("createDataFile", () => {
  it("makes a file that opens as what was put into it, and that a person can read", async () => {
    const path = join(await temporaryFolder(), "data.json");
    await createDataFile(path, DATA);
    expect((await openDataFile(path)).snapshot).toStrictEqual(DATA);
    expect(await readFile(path, "utf8")).toContain(
      '\n    {"id":12,"variable_id":2,"environment_id":1,"content":{"value":3000}},\n',
    );
  });

  it.each([0o000, 0o022, 0o077])("makes it for its owner alone under the umask %o", async (umask) => {
    const path = join(await temporaryFolder(), "data.json");
    const before = process.umask(umask);
    onTestFinished(() => {
      process.umask(before);
    });
    await createDataFile(path, DATA);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("leaves no other file behind when it succeeds", async () => {
    const folder = await temporaryFolder();
    await createDataFile(join(folder, "data.json"), DATA);
    expect(await readdir(folder)).toStrictEqual(["data.json"]);
  });

  it("leaves a file that is there as it is, byte for byte, and no other behind", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "data.json");
    await writeFile(path, "mine\r\n");
    await expect(createDataFile(path, DATA)).rejects.toThrow(
      new InvalidDataError(`${path} can't be written: there is such a file already`),
    );
    expect(await readFile(path, "utf8")).toBe("mine\r\n");
    expect(await readdir(folder)).toStrictEqual(["data.json"]);
  });

  it("does not follow a link that leads nowhere", async () => {
    const folder = await temporaryFolder();
    await symlink("elsewhere.json", join(folder, "data.json"));
    await expect(createDataFile(join(folder, "data.json"), DATA)).rejects.toThrow("there is such a file already");
    expect(await readdir(folder)).toStrictEqual(["data.json"]);
  });

  it("lets one of several that make the same file at once win", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "data.json");
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => createDataFile(path, DATA)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await readdir(folder)).toStrictEqual(["data.json"]);
    expect((await openDataFile(path)).snapshot).toStrictEqual(DATA);
  });

  it("says so when there is no such folder", async () => {
    const path = join(await temporaryFolder(), "none", "data.json");
    await expect(createDataFile(path, DATA)).rejects.toThrow(
      new InvalidDataError(`${path} can't be written: no such file or folder`),
    );
  });
});

describe("openDataFile", () => {
  describe.each([false, true])("with watch: %s", (watch) => {
    it("refuses a file that is not there, and does not make it", async () => {
      const folder = await temporaryFolder();
      const path = join(folder, "data.json");
      await expect(openDataFile(path, { watch })).rejects.toThrow(
        new InvalidDataError(`${path} can't be read: no such file or folder`),
      );
      expect(await readdir(folder)).toStrictEqual([]);
    });

    it("refuses a folder", async () => {
      const path = join(await temporaryFolder(), "data.json");
      await mkdir(path);
      await expect(openDataFile(path, { watch })).rejects.toThrow(
        new InvalidDataError(`${path} can't be read: it is a folder`),
      );
    });

    // The superuser may read everything.
    it.skipIf(process.getuid?.() === 0)("refuses a file that it may not read", async () => {
      const path = join(await temporaryFolder(), "data.json");
      await writeFile(path, JSON.stringify(DATA));
      await chmod(path, 0o200);
      await expect(openDataFile(path, { watch })).rejects.toThrow(
        new InvalidDataError(`${path} can't be read: permission denied`),
      );
    });

    it.each([
      ["", "is empty"],
      ["null", "must hold one JSON object"],
      ['{\n"version": 1', "is not valid JSON: line 2, column 13: close brace expected"],
      ['{"version":1}', "environments is missing"],
    ])("refuses the content %j with the path and the rule, and changes nothing", async (text, rule) => {
      const path = join(await temporaryFolder(), "data.json");
      await writeFile(path, text);
      await expect(openDataFile(path, { watch })).rejects.toThrow(new InvalidDataError(`${path} ${rule}`));
      expect(await readFile(path, "utf8")).toBe(text);
    });
  });

  it("opens a file through a link", async () => {
    const folder = await temporaryFolder();
    await createDataFile(join(folder, "real.json"), DATA);
    await symlink("real.json", join(folder, "data.json"));
    expect((await openDataFile(join(folder, "data.json"))).snapshot).toStrictEqual(DATA);
  });
});
