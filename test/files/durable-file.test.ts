import { promises } from "node:fs";
import { chown, link, mkdir, open, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createFile, keepOwner, removeTemporaries, replaceFile } from "../../src/files/durable-file.js";
import { NotDurableError } from "../../src/files/system-errors.js";
import { temporaryFolder } from "../support/temporary-folder.js";

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
async function fileHandles(): Promise<Record<"writeFile" | "sync" | "chown", (...args: unknown[]) => Promise<void>>> {
  const file = await open(import.meta.filename);
  await file.close();
  onTestFinished(() => void vi.restoreAllMocks());
  return Object.getPrototypeOf(file);
}

describe("replaceFile", () => {
  it("replaceFile replaces the text, and leaves no other file behind", async () => {
    const path = await oldFile();
    const { ino } = await stat(path);
    await replaceFile(path, NEW, unchecked);
    expect(await readFile(path, "utf8")).toBe(NEW);
    expect((await stat(path)).ino).not.toBe(ino);
    expect(await names(path)).toStrictEqual(["vars.json"]);
  });

  const onPosix = it.skipIf(process.platform === "win32");
  onPosix("writes beside the file that the system finds, where `..` behind a link leaves its target", async () => {
    const path = await oldFile();
    const elsewhere = join(await temporaryFolder(), "link");
    await mkdir(join(dirname(path), "sub"));
    await symlink(join(dirname(path), "sub"), elsewhere);
    let temporary = "";
    await replaceFile(`${elsewhere}/../vars.json`, NEW, async (name) => {
      temporary = name;
    });
    expect(await readFile(path, "utf8")).toBe(NEW);
    expect(dirname(temporary)).toBe(`${elsewhere}/..`);
  });

  it.each([0o000, 0o022, 0o077, 0o777])(
    "replaceFile creates a file with mode 0600 under the umask %o",
    async (umask) => {
      const path = await oldFile();
      const before = process.umask(umask);
      onTestFinished(() => void process.umask(before));
      await replaceFile(path, NEW, unchecked);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    },
  );

  it.skipIf(process.getuid?.() !== 0)("replaceFile keeps the owner when root writes the file", async () => {
    const path = await oldFile();
    await chown(path, 1234, 4321);
    await replaceFile(path, NEW, (temporary) => keepOwner(path, temporary));
    expect(await stat(path)).toMatchObject({ uid: 1234, gid: 4321 });
  });

  it.skipIf(process.getuid?.() !== 0).each([
    ["a symbolic link", symlink],
    ["a hard link", link],
  ])("replaceFile does not give away the target of %s that replaced the temporary file", async (_what, plant) => {
    const path = await oldFile();
    await chown(path, 1234, 4321);
    const victim = join(await temporaryFolder(), "victim");
    await writeFile(victim, "root's");
    const replaced = replaceFile(path, NEW, async (temporary) => {
      await rm(temporary);
      await plant(victim, temporary);
      await keepOwner(path, temporary);
    });
    await expect(replaced).rejects.toThrow();
    expect((await stat(victim)).uid).toBe(0);
    expect(await readFile(path, "utf8")).toBe(OLD);
  });

  it("replaceFile syncs the text before the rename, and the folder after it", async () => {
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
  it.each(["writeFile", "sync"] as const)(
    "a replacement that fails leaves the old file as it was: %s",
    async (method) => {
      const path = await oldFile();
      vi.spyOn(await fileHandles(), method).mockRejectedValueOnce(Object.assign(new Error(), { code: "EIO" }));
      await expect(replaceFile(path, NEW, unchecked)).rejects.toMatchObject({ code: "EIO" });
      await expectUnchanged(path);
    },
  );

  it("a replacement that fails leaves the old file as it was: a write that is short and reports success", async () => {
    const path = await oldFile();
    const handles = await fileHandles();
    const { writeFile: write } = handles;
    vi.spyOn(handles, "writeFile").mockImplementationOnce(function (this: unknown, text) {
      return write.call(this, String(text).slice(0, 3));
    });
    await expect(replaceFile(path, NEW, unchecked)).rejects.toMatchObject({ code: "ENOSPC" });
    await expectUnchanged(path);
  });

  it("a replacement that fails leaves the old file as it was: the check throws", async () => {
    const path = await oldFile();
    const check = async () => {
      // All is written by then, but for the name.
      expect(await names(path)).toHaveLength(2);
      throw new RangeError("changed");
    };
    await expect(replaceFile(path, NEW, check)).rejects.toThrow(new RangeError("changed"));
    await expectUnchanged(path);
  });

  it("a replacement that fails leaves nothing behind: the name can't be had", async () => {
    const path = join(await temporaryFolder(), "vars.json");
    await mkdir(path);
    await expect(replaceFile(path, NEW, unchecked)).rejects.toMatchObject({ code: "EISDIR" });
    expect(await names(path)).toStrictEqual(["vars.json"]);
  });

  it("a replacement that fails leaves nothing behind: the folder is gone", async () => {
    const path = await oldFile();
    await rm(dirname(path), { recursive: true });
    await expect(replaceFile(path, NEW, unchecked)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("a folder that can't be synced", () => {
  it.each<[string, (path: string) => Promise<void>]>([
    ["replaced", (path) => replaceFile(path, NEW)],
    ["made", (path) => rm(path).then(() => createFile(path, NEW))],
  ])("a folder that can't be synced makes an error that says the file was %s all the same", async (_what, write) => {
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
    vi.spyOn(handles, "sync").mockImplementationOnce(sync).mockRejectedValueOnce(Object.assign(new Error(), { code }));
  }

  it.each(["EPERM", "EACCES", "EISDIR"])("a folder can't be synced, which is no error: %s", async (code) => {
    const path = await oldFile();
    await withoutFolderSync(code);
    await replaceFile(path, NEW, unchecked, "win32");
    expect(await readFile(path, "utf8")).toBe(NEW);
  });

  it("a folder that can't be synced is an error on other systems, and one of its disk everywhere", async () => {
    const path = await oldFile();
    await withoutFolderSync("EPERM");
    await expect(replaceFile(path, NEW, unchecked, "linux")).rejects.toThrow(NotDurableError);
    vi.restoreAllMocks();
    await withoutFolderSync("EIO");
    await expect(replaceFile(path, NEW, unchecked, "win32")).rejects.toThrow(NotDurableError);
  });

  it("replaceFile waits for another process to close the old file", async () => {
    const path = await oldFile();
    const { rename } = promises;
    const renames = vi
      .spyOn(promises, "rename")
      .mockRejectedValueOnce(Object.assign(new Error(), { code: "EPERM" }))
      .mockImplementation(rename);
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    await replaceFile(path, NEW, unchecked, "win32");
    expect(renames).toHaveBeenCalledTimes(2);
    expect(await readFile(path, "utf8")).toBe(NEW);
    expect(await names(path)).toStrictEqual(["vars.json"]);
  });
});

describe("removeTemporaries", () => {
  it("removeTemporaries removes the temporary files of killed writers of this file", async () => {
    const path = await oldFile();
    for (const id of ["0123456789ab", "ffffffffffff"]) await writeFile(join(dirname(path), `.vars.json.${id}.tmp`), "");
    await removeTemporaries(path);
    expect(await names(path)).toStrictEqual(["vars.json"]);
  });

  it("removeTemporaries keeps all files with other names", async () => {
    const path = await oldFile();
    const others = [".vars.json.0123456789ab", ".vars.json.0123456789AB.tmp", ".vars.json.0123456789abc.tmp"];
    others.push(
      ".vars.json.backup.tmp",
      ".vars.json.tmp",
      ".vars2.json.0123456789ab.tmp",
      "vars.json.0123456789ab.tmp",
    );
    for (const name of others) await writeFile(join(dirname(path), name), name);
    await removeTemporaries(path);
    expect(await names(path)).toStrictEqual([...others, "vars.json"].sort());
  });

  it("removeTemporaries does not follow a link with the name of a temporary file", async () => {
    const path = await oldFile();
    const victim = join(await temporaryFolder(), "victim");
    await writeFile(victim, "untouched");
    await symlink(victim, join(dirname(path), ".vars.json.0123456789ab.tmp"));
    await removeTemporaries(path);
    expect(await readFile(victim, "utf8")).toBe("untouched");
    expect(await names(path)).toStrictEqual(["vars.json"]);
  });
});

async function expectUnchanged(path: string): Promise<void> {
  expect(await readFile(path, "utf8")).toBe(OLD);
  expect(await names(path)).toStrictEqual(["vars.json"]);
}
