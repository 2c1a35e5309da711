import { chmod, chown, mkdir, readdir, readFile, rename, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAnswerFolder } from "../../src/cache/answer-folder.js";
import type { AnswerOwner } from "../../src/cache/answer-keys.js";
import { MAX_KEPT_S } from "../../src/cache/cached-source.js";
import type { Read } from "../../src/domain/read.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const OWNER = { url: "http://127.0.0.1:7400", apiKey: "dev-key", apiSecret: "dev-secret" };
const PORT: Read = { kind: "content", name: "PORT" };
const DEBUG: Read = { kind: "content", name: "DEBUG" };
const KEPT = { answer: { value: 3000 }, savedAt: 1_700_000_000_000 };

/** The folder for caches that holds `root`. */
const answersOf = (root: string, owner: AnswerOwner) => createAnswerFolder(dirname(root), owner, process.getuid?.());
const newRoot = async () => {
  const root = join(await temporaryFolder(), "answers");
  await mkdir(root);
  return root;
};

async function files(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe("a folder of answers", () => {
  it("a folder of answers returns what was written, in another process too", async () => {
    const root = await newRoot();
    await answersOf(root, OWNER).write(PORT, KEPT);
    expect(await answersOf(root, OWNER).read(PORT)).toEqual(KEPT);
    expect(await answersOf(root, OWNER).read(DEBUG)).toBeUndefined();
  });

  it("a folder of answers returns nothing for another secret", async () => {
    const root = await newRoot();
    await answersOf(root, OWNER).write(PORT, KEPT);
    expect(await answersOf(root, { ...OWNER, apiSecret: "other" }).read(PORT)).toBeUndefined();
  });

  it("a folder of answers does not accept one answer in place of another", async () => {
    const root = await newRoot();
    const answers = answersOf(root, OWNER);
    await answers.write(PORT, KEPT);
    const [first = ""] = await files(root);
    await answers.write(DEBUG, KEPT);
    const [second = ""] = (await files(root)).filter((path) => path !== first);
    await writeFile(second, await readFile(first));
    expect(await answers.read(DEBUG)).toBeUndefined();
  });

  it("a folder of answers removes one answer, or all answers of an owner", async () => {
    const root = await newRoot();
    const [answers, others] = [OWNER, { ...OWNER, apiKey: "test-key" }].map((owner) => answersOf(root, owner));
    for (const store of [answers, others]) for (const request of [PORT, DEBUG]) await store?.write(request, KEPT);
    await answers?.remove(PORT);
    expect([await answers?.read(PORT), await answers?.read(DEBUG)]).toEqual([undefined, KEPT]);
    await answers?.clear();
    expect([await answers?.read(DEBUG), await others?.read(PORT)]).toEqual([undefined, KEPT]);
  });

  it("a folder of answers has nothing to remove where there is nothing", async () => {
    const answers = answersOf(join(await temporaryFolder(), "none", "answers"), OWNER);
    await answers.remove(PORT);
    await answers.clear();
    expect(await answers.read(PORT)).toBeUndefined();
  });

  it.skipIf(process.platform === "win32")(
    "a folder of answers is accessible only to its owner, whatever the umask is and was",
    async () => {
      const old = process.umask(0);
      onTestFinished(() => void process.umask(old));
      const root = join(await temporaryFolder(), "cache", "answers");
      await mkdir(root, { recursive: true, mode: 0o777 });
      await answersOf(root, OWNER).write(PORT, KEPT);
      const [file = ""] = await files(root);
      const modes = await Promise.all(
        [file, join(file, ".."), root].map(async (path) => (await stat(path)).mode & 0o777),
      );
      expect(modes).toEqual([0o600, 0o700, 0o700]);
    },
  );

  it("a folder of answers removes what is too old to be of use, whosever it was", async () => {
    const root = await newRoot();
    const others = answersOf(root, { ...OWNER, apiSecret: "rotated" });
    await others.write(PORT, KEPT);
    const [file = ""] = await files(root);
    const old = KEPT.savedAt / 1_000 - MAX_KEPT_S - 1;
    await utimes(file, old, old);
    await utimes(join(file, ".."), old, old);
    await answersOf(root, OWNER).write(DEBUG, KEPT);
    expect(await readdir(root)).toHaveLength(1);
    expect(await others.read(PORT)).toBeUndefined();
  });

  it("a folder of answers keeps old files and folders that it did not make", async () => {
    const root = await newRoot();
    const target = join(await temporaryFolder(), "target");
    for (const folder of [join(root, "photos"), target]) {
      await mkdir(folder);
      await writeFile(join(folder, "1999.jpg"), "");
      await utimes(folder, 1, 1);
    }
    await writeFile(join(root, "notes.txt"), "");
    await utimes(join(root, "notes.txt"), 1, 1);
    const answers = answersOf(root, OWNER);
    await answers.write(PORT, KEPT);
    const [own = ""] = (await readdir(root)).filter((name) => /^[0-9a-f]{64}$/.test(name));
    await writeFile(join(root, own, "notes.txt"), "");
    await utimes(join(root, own, "notes.txt"), 1, 1);
    await symlink(target, join(root, own, "f".repeat(64)));
    await answersOf(root, OWNER).write(DEBUG, KEPT);
    expect(await readdir(root)).toEqual(expect.arrayContaining(["photos", "notes.txt"]));
    expect(await readdir(join(root, own))).toContain("notes.txt");
    expect(await readdir(target)).toEqual(["1999.jpg"]);
  });

  it.skipIf(process.platform === "win32")(
    "a folder of answers removes no folder with a name of its own in place of an answer",
    async () => {
      const root = await newRoot();
      await answersOf(root, OWNER).write(PORT, KEPT);
      const [own = ""] = await readdir(root);
      for (const folder of [join(root, "a".repeat(64)), join(root, own, "b".repeat(64))]) {
        await mkdir(folder);
        await writeFile(join(folder, "thesis.txt"), "");
        await utimes(folder, 1, 1);
      }
      await answersOf(root, OWNER).write(DEBUG, KEPT);
      await answersOf(root, OWNER).clear();
      expect((await files(root)).map((path) => basename(path))).toEqual(["thesis.txt", "thesis.txt"]);
    },
  );

  it.skipIf(process.platform === "win32")(
    "a folder of answers neither writes nor removes anything behind a link in its place",
    async () => {
      for (const linked of ["cache", "answers", "owner"]) {
        const root = await newRoot();
        await answersOf(root, OWNER).write(PORT, KEPT);
        const [own = ""] = await readdir(root);
        const path = { cache: dirname(root), answers: root, owner: join(root, own) }[linked] ?? "";
        const target = join(await temporaryFolder(), "public");
        await rename(path, target);
        await symlink(target, path);
        await mkdir(join(target, "a".repeat(64)));
        await utimes(join(target, "a".repeat(64)), 1, 1);
        await chmod(target, 0o755);
        const before = await readdir(target, { recursive: true });
        const answers = answersOf(root, OWNER);
        for (const work of [() => answers.write(DEBUG, KEPT), () => answers.remove(PORT), () => answers.clear()])
          await expect(work()).rejects.toThrow(`${path} is not a folder`);
        expect(await readdir(target, { recursive: true })).toEqual(before);
        expect((await stat(target)).mode & 0o777).toBe(0o755);
      }
    },
  );

  it.skipIf(process.getuid?.() !== 0)(
    "a folder of answers neither writes nor removes anything in another user's folder",
    async () => {
      const root = await newRoot();
      await answersOf(root, OWNER).write(PORT, KEPT);
      const [own = ""] = await readdir(root);
      const before = await readdir(root, { recursive: true });
      for (const path of [dirname(root), root, join(root, own)]) {
        await chown(path, 1234, 1234);
        const answers = answersOf(root, OWNER);
        for (const work of [() => answers.write(DEBUG, KEPT), () => answers.remove(PORT), () => answers.clear()])
          await expect(work()).rejects.toThrow(`${path} belongs to another user`);
        expect(await readdir(root, { recursive: true })).toEqual(before);
        await chown(path, 0, 0);
      }
    },
  );
});
