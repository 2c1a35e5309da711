import fs from "node:fs";
import { mkdir, open, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createFile, replaceFile } from "../../../src/kit/files/durable-file.js";
import { NotDurableError } from "../../../src/kit/files/system-errors.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const OLD = "old \r\n\u0000 text";
const NEW = "new text";
const unchecked = async () => {};

/** A file with the old text, alone in its folder. */
async function oldFile(): Promise<string> {
  const path = join(await temporaryFolder(), "vars.json");
  await writeFile(path, OLD);
  return path;
}

const names = async (path: string) => (await readdir(dirname(path))).sort();

/** The prototype of all open files, to make one of its methods fail. */
async function fileHandles(): Promise<
  Record<"writeFile" | "sync" | "chown", (...args: unknown[]) => Promise<void>>
> {
  const file = await open(import.meta.filename);
  await file.close();
  onTestFinished(() => void vi.restoreAllMocks());
  return Object.getPrototypeOf(file);
}

describe("replaceFile", () => {
  it("replaces the text, and leaves no other file behind", async () => {
    const path = await oldFile();
    const { ino } = await stat(path);
    await replaceFile(path, NEW, unchecked);
    expect(await readFile(path, "utf8")).toBe(NEW);
    expect((await stat(path)).ino).not.toBe(ino);
    expect(await names(path)).toStrictEqual(["vars.json"]);
  });

  const onPosix = it.skipIf(process.platform === "win32");
  onPosix(
    "writes beside the file that the system finds, where `..` behind a link leaves its target",
    async () => {
      const path = await oldFile();
      const elsewhere = join(await temporaryFolder(), "link");
      await mkdir(join(dirname(path), "sub"));
      await symlink(join(dirname(path), "sub"), elsewhere);
      let beside: string[] = [];
      await replaceFile(`${elsewhere}/../vars.json`, NEW, async () => {
        beside = await names(path);
      });
      expect(await readFile(path, "utf8")).toBe(NEW);
      expect(beside).toHaveLength(3);
    },
  );

  it.each([0o000, 0o022, 0o077])(
    "creates a file with mode 0600 under the umask %o",
    async (umask) => {
      const path = await oldFile();
      const before = process.umask(umask);
      onTestFinished(() => void process.umask(before));
      await replaceFile(path, NEW, unchecked);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    },
  );

  it("syncs the text before the rename, and the folder after it", async () => {
    const path = await oldFile();
    const handles = await fileHandles();
    const atSync: string[] = [];
    const { sync } = handles;
    vi.spyOn(handles, "sync").mockImplementation(async function (this: unknown) {
      atSync.push(await readFile(path, "utf8"));
      return sync.call(this);
    });
    await replaceFile(path, NEW, unchecked);
    expect(atSync).toStrictEqual([OLD, NEW]);
  });
});

describe("a replacement that fails", () => {
  it.each(["writeFile", "sync"] as const)("leaves the old file as it was: %s", async (method) => {
    const path = await oldFile();
    vi.spyOn(await fileHandles(), method).mockRejectedValueOnce(
      Object.assign(new Error(), { code: "EIO" }),
    );
    await expect(replaceFile(path, NEW, unchecked)).rejects.toMatchObject({ code: "EIO" });
    await expectUnchanged(path);
  });

  it("leaves the old file as it was: a write that is short and reports success", async () => {
    const path = await oldFile();
    const handles = await fileHandles();
    const { writeFile: write } = handles;
    vi.spyOn(handles, "writeFile").mockImplementationOnce(function (this: unknown, text) {
      return write.call(this, String(text).slice(0, 3));
    });
    await expect(replaceFile(path, NEW, unchecked)).rejects.toMatchObject({ code: "ENOSPC" });
    await expectUnchanged(path);
  });

  it("leaves the old file as it was: the check throws", async () => {
    const path = await oldFile();
    const check = async () => {
      // All is written by then, but for the name.
      expect(await names(path)).toHaveLength(2);
      throw new RangeError("changed");
    };
    await expect(replaceFile(path, NEW, check)).rejects.toThrow(new RangeError("changed"));
    await expectUnchanged(path);
  });

  it("leaves nothing behind: the name can't be had", async () => {
    const path = join(await temporaryFolder(), "vars.json");
    await mkdir(path);
    await expect(replaceFile(path, NEW, unchecked)).rejects.toMatchObject({ code: "EISDIR" });
    expect(await names(path)).toStrictEqual(["vars.json"]);
  });

  it("leaves nothing behind: the folder is gone", async () => {
    const path = await oldFile();
    await rm(dirname(path), { recursive: true });
    await expect(replaceFile(path, NEW, unchecked)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("a folder that can't be synced", () => {
  it.each<[string, (path: string) => Promise<unknown>]>([
    ["replaced", (path) => replaceFile(path, NEW)],
    ["made", (path) => rm(path).then(() => createFile(path, NEW))],
  ])("makes an error that says the file was %s all the same", async (_what, write) => {
    const path = await oldFile();
    const handles = await fileHandles();
    const { sync } = handles;
    // That of the new file, and that of the folder.
    vi.spyOn(handles, "sync")
      .mockImplementationOnce(sync)
      .mockRejectedValueOnce(Object.assign(new Error(), { code: "EIO" }));
    const message = "was written, but may be lost if the machine crashes now: input/output error";
    await expect(write(path)).rejects.toThrow(new NotDurableError(message));
    expect(await readFile(path, "utf8")).toBe(NEW);
    expect(await names(path)).toStrictEqual(["vars.json"]);
  });
});

describe("on Windows", () => {
  async function withoutFolderSync(code: string): Promise<void> {
    const handles = await fileHandles();
    const { sync } = handles;
    vi.spyOn(handles, "sync")
      .mockImplementationOnce(sync)
      .mockRejectedValueOnce(Object.assign(new Error(), { code }));
  }

  it.each(["EPERM", "EACCES", "EISDIR"])(
    "a folder can't be synced, which is no error: %s",
    async (code) => {
      const path = await oldFile();
      await withoutFolderSync(code);
      await replaceFile(path, NEW, unchecked, undefined, "win32");
      expect(await readFile(path, "utf8")).toBe(NEW);
    },
  );

  it("a folder that can't be synced is an error on other systems, and one of its disk everywhere", async () => {
    const path = await oldFile();
    await withoutFolderSync("EPERM");
    await expect(replaceFile(path, NEW, unchecked, undefined, "linux")).rejects.toThrow(
      NotDurableError,
    );
    vi.restoreAllMocks();
    await withoutFolderSync("EIO");
    await expect(replaceFile(path, NEW, unchecked, undefined, "win32")).rejects.toThrow(
      NotDurableError,
    );
  });

  it("replaceFile waits for another process to close the old file", async () => {
    const path = await oldFile();
    const { renameSync } = fs;
    const renames = vi
      .spyOn(fs, "renameSync")
      .mockImplementationOnce(() => {
        throw Object.assign(new Error(), { code: "EPERM" });
      })
      .mockImplementation(renameSync);
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    await replaceFile(path, NEW, unchecked, undefined, "win32");
    expect(renames).toHaveBeenCalledTimes(2);
    expect(await readFile(path, "utf8")).toBe(NEW);
    expect(await names(path)).toStrictEqual(["vars.json"]);
  });
});

async function expectUnchanged(path: string): Promise<void> {
  expect(await readFile(path, "utf8")).toBe(OLD);
  expect(await names(path)).toStrictEqual(["vars.json"]);
}
