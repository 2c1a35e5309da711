import { chown, mkdir, open, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { keepOwner, removeTemporaries, replaceFile } from "../../src/store/durable-file.js";
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

/** What all open files have in common, to make one of their methods fail. */
async function fileHandles(): Promise<Record<"writeFile" | "sync" | "chown", (...args: unknown[]) => Promise<void>>> {
  const file = await open(import.meta.filename);
  await file.close();
  onTestFinished(() => void vi.restoreAllMocks());
  return Object.getPrototypeOf(file);
}

describe("replaceFile", () => {
  it("puts the new text in the place of the old, and leaves no other file behind", async () => {
    const path = await oldFile();
    const { ino } = await stat(path);
    await replaceFile(path, NEW, unchecked);
    expect(await readFile(path, "utf8")).toBe(NEW);
    expect((await stat(path)).ino).not.toBe(ino);
    expect(await names(path)).toStrictEqual(["vars.json"]);
  });

  it.each([0o000, 0o022, 0o077, 0o777])("makes it for its owner alone under the umask %o", async (umask) => {
    const path = await oldFile();
    const before = process.umask(umask);
    onTestFinished(() => void process.umask(before));
    await replaceFile(path, NEW, unchecked);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it.skipIf(process.getuid?.() !== 0)("leaves the file to its owner when the superuser writes it", async () => {
    const path = await oldFile();
    await chown(path, 1234, 4321);
    await replaceFile(path, NEW, (temporary) => keepOwner(path, temporary));
    expect(await stat(path)).toMatchObject({ uid: 1234, gid: 4321 });
  });

  it("syncs the text before the file has its name, and the folder after", async () => {
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
    vi.spyOn(await fileHandles(), method).mockRejectedValueOnce(Object.assign(new Error(), { code: "EIO" }));
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

describe("what else is in the folder", () => {
  it("loses what writers of this file that were killed left behind", async () => {
    const path = await oldFile();
    for (const id of ["0123456789ab", "ffffffffffff"]) await writeFile(join(dirname(path), `.vars.json.${id}.tmp`), "");
    await removeTemporaries(path);
    expect(await names(path)).toStrictEqual(["vars.json"]);
  });

  it("keeps files of others whatever they are called", async () => {
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

  it("is not written through a link that was planted under such a name, nor removed through it", async () => {
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
