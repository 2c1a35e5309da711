import {
  chmod,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { InvalidDataError } from "../../../src/kit/text/errors.js";
import { createDataFile } from "../../../src/store/file/data-file.js";
import { openDataFile } from "../../../src/store/file/json-file-store.js";
import { DATA, sortedById } from "../../support/data.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

describe("createDataFile", () => {
  it("creates a file with this data, in a readable form", async () => {
    const path = join(await temporaryFolder(), "data.json");
    await createDataFile(path, DATA);
    expect((await openDataFile(path)).data).toStrictEqual(sortedById(DATA));
    expect(await readFile(path, "utf8")).toContain(
      '\n    {"id":12,"variable_id":2,"environment_id":1,"content":{"value":3000}},\n',
    );
  });

  it.each([0o000, 0o022, 0o077])(
    "creates a file with mode 0600 under the umask %o",
    async (umask) => {
      const path = join(await temporaryFolder(), "data.json");
      const before = process.umask(umask);
      onTestFinished(() => {
        process.umask(before);
      });
      await createDataFile(path, DATA);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    },
  );

  it("leaves no temporary file behind", async () => {
    const folder = await temporaryFolder();
    await createDataFile(join(folder, "data.json"), DATA);
    expect(await readdir(folder)).toStrictEqual(["data.json"]);
  });

  it("leaves an existing file unchanged, and no temporary file behind", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "data.json");
    await writeFile(path, "mine\r\n");
    await expect(createDataFile(path, DATA)).rejects.toThrow(
      new InvalidDataError(`${path} can't be written: the file already exists`),
    );
    expect(await readFile(path, "utf8")).toBe("mine\r\n");
    expect(await readdir(folder)).toStrictEqual(["data.json"]);
  });

  it("does not follow a dangling link", async () => {
    const folder = await temporaryFolder();
    await symlink("elsewhere.json", join(folder, "data.json"));
    await expect(createDataFile(join(folder, "data.json"), DATA)).rejects.toThrow(
      "the file already exists",
    );
    expect(await readdir(folder)).toStrictEqual(["data.json"]);
  });

  it("lets one of several concurrent calls create the file", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "data.json");
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => createDataFile(path, DATA)),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await readdir(folder)).toStrictEqual(["data.json"]);
    expect((await openDataFile(path)).data).toStrictEqual(sortedById(DATA));
  });

  it("reports a missing folder", async () => {
    const path = join(await temporaryFolder(), "none", "data.json");
    await expect(createDataFile(path, DATA)).rejects.toThrow(
      new InvalidDataError(`${path} can't be written: no such file or folder`),
    );
  });
});

describe("openDataFile", () => {
  describe.each([false, true])("with watch: %s", (watch) => {
    it("rejects a missing file, and does not create it", async () => {
      const folder = await temporaryFolder();
      const path = join(folder, "data.json");
      await expect(openDataFile(path, { watch })).rejects.toThrow(
        new InvalidDataError(`${path} can't be read: no such file or folder`),
      );
      expect(await readdir(folder)).toStrictEqual([]);
    });

    it("rejects a folder", async () => {
      const path = join(await temporaryFolder(), "data.json");
      await mkdir(path);
      await expect(openDataFile(path, { watch })).rejects.toThrow(
        new InvalidDataError(`${path} can't be read: it is a folder`),
      );
    });

    // The superuser may read everything.
    it.skipIf(process.getuid?.() === 0)("rejects an unreadable file", async () => {
      const path = join(await temporaryFolder(), "data.json");
      await writeFile(path, JSON.stringify(DATA));
      await chmod(path, 0o200);
      await expect(openDataFile(path, { watch })).rejects.toThrow(
        new InvalidDataError(`${path} can't be read: permission denied`),
      );
    });

    it("rejects a file of 600 MB before it reads any of it", async () => {
      const path = join(await temporaryFolder(), "data.json");
      // It has no blocks on the disk.
      await writeFile(path, "");
      await truncate(path, 600 * 1_048_576);
      await expect(openDataFile(path, { watch })).rejects.toThrow(
        new InvalidDataError(`${path} is too large: it has 600 MB; the limit is 512 MB`),
      );
    });

    it.each([
      ["", "is empty"],
      ["null", "must contain one JSON object"],
      ['{\n"version": 1', "is not valid JSON: line 2, column 13: unexpected end of file"],
      ['{"version":1}', "environments is missing"],
    ])(
      "rejects the content %j with the path and the rule, and does not change the file",
      async (text, rule) => {
        const path = join(await temporaryFolder(), "data.json");
        await writeFile(path, text);
        await expect(openDataFile(path, { watch })).rejects.toThrow(
          new InvalidDataError(`${path} ${rule}`),
        );
        expect(await readFile(path, "utf8")).toBe(text);
      },
    );
  });

  it("opens a file through a link", async () => {
    const folder = await temporaryFolder();
    await createDataFile(join(folder, "real.json"), DATA);
    await symlink("real.json", join(folder, "data.json"));
    expect((await openDataFile(join(folder, "data.json"))).data).toStrictEqual(sortedById(DATA));
  });
});
