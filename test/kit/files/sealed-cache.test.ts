import { hash, randomBytes } from "node:crypto";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { SealedCache, type SealedCacheOptions } from "../../../src/kit/files/sealed-cache.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const OWNER = {
  kind: "test v1",
  context: "http://10.0.0.1:7400",
  secret: "s3cret",
  maxUnused: 30 * 86_400_000,
};
const NOW = 1_700_000_000_000;
/** Sealed in several parts. */
const BYTES = randomBytes(2.5 * 1_024 * 1_024);
const SAVED = { hash: hash("sha256", BYTES), savedAt: NOW };

const fileIn = (parent: string, context: Partial<SealedCacheOptions> = {}) =>
  new SealedCache({ ...OWNER, parent, user: process.getuid?.(), ...context });
/** The content of a file, with a hash of the bytes, since a test compares many bytes one by one. */
const readIn = async (file: SealedCache | undefined) => {
  const saved = await file?.read();
  return saved && { hash: hash("sha256", saved.bytes), savedAt: saved.savedAt };
};
const namesIn = async (parent: string) => (await readdir(join(parent, "snapshots"))).sort();

/** A folder with a file, and its path. */
async function savedFolder(context: Partial<SealedCacheOptions> = {}) {
  const parent = await temporaryFolder();
  const file = fileIn(parent, context);
  await file.write(BYTES, NOW);
  const [name = ""] = await namesIn(parent);
  return { parent, file, name, path: join(parent, "snapshots", name) };
}

describe("a sealed file", () => {
  it.each([
    ["some bytes", BYTES],
    ["none", Buffer.alloc(0)],
  ])("returns the bytes written, in another process too: %s", async (_content, bytes) => {
    const parent = join(await temporaryFolder(), "new", "cache");
    const file = fileIn(parent);
    expect(await file.read()).toBeUndefined();
    await file.write(bytes, NOW);
    for (const reader of [file, fileIn(parent)]) {
      expect(await readIn(reader)).toEqual({ ...SAVED, hash: hash("sha256", bytes) });
    }
  });

  it("contains neither the data nor the URL in plain", async () => {
    const { parent, name, path } = await savedFolder();
    const file = await readFile(path);
    expect(file.includes(BYTES.subarray(0, 16)) || file.includes("revision")).toBe(false);
    expect(await namesIn(parent)).toEqual([name]);
  });

  it.each([
    ["another kind", { kind: "test v2" }],
    ["another context", { context: "http://10.0.0.2:7400" }],
    ["another secret", { secret: "rotated" }],
    ["no secret", { secret: "" }],
  ])("is nothing with %s, even under its name", async (_what, context) => {
    const { parent, name } = await savedFolder();
    const other = fileIn(parent, context);
    expect(await other.read()).toBeUndefined();
    await other.write(Buffer.from("other"), NOW);
    const [otherName = "", ...more] = (await namesIn(parent)).filter((each) => each !== name);
    expect(more).toEqual([]);
    await rename(join(parent, "snapshots", name), join(parent, "snapshots", otherName));
    expect(await other.read()).toBeUndefined();
  });

  it.each([
    ["the first byte", async (path: string) => flip(path, 0)],
    ["a byte in the middle", async (path: string) => flip(path, BYTES.length / 2)],
    ["the last byte", async (path: string) => flip(path, (await stat(path)).size - 1)],
    [
      "the end, which is cut off",
      async (path: string) => truncate(path, (await stat(path)).size - 1),
    ],
    ["everything, which is cut off", async (path: string) => truncate(path, 0)],
    [
      "the end, where a byte was added",
      async (path: string) => writeFile(path, "a", { flag: "a" }),
    ],
    ["its size, which is too large", async (path: string) => truncate(path, 2 ** 31)],
    ["its kind: it is a folder", async (path: string) => rm(path).then(() => mkdir(path))],
  ])("that was changed is not read: %s", async (_what, change) => {
    const { file, path } = await savedFolder();
    await change(path);
    expect(await file.read()).toBeUndefined();
  });

  it("refuses data that it could not read again, and keeps the old", async () => {
    const { file } = await savedFolder();
    const tooLargeError = { length: 2 ** 30 + 1 } as Uint8Array;
    await expect(file.write(tooLargeError, NOW)).rejects.toThrow(
      "is too large: it has 1,025 MB; the limit is 1,024 MB",
    );
    expect(await readIn(file)).toEqual(SAVED);
  });

  it("a writer that was killed leaves the old data, and its temporary file is removed later", async () => {
    const { parent, file, name, path } = await savedFolder();
    const left = join(parent, "snapshots", `.${name}.0123456789ab.tmp`);
    await writeFile(left, (await readFile(path)).subarray(0, 1_000));
    await utimes(left, NOW / 1_000, NOW / 1_000);
    expect(await readIn(file)).toEqual(SAVED);
    await file.write(BYTES, NOW + OWNER.maxUnused);
    expect(await namesIn(parent)).toHaveLength(2);
    await file.write(BYTES, NOW + OWNER.maxUnused + 1);
    expect(await namesIn(parent)).toEqual([name]);
  });

  it("two processes each write whole files, and read those of the other", async () => {
    const parent = await temporaryFolder();
    const writers = [fileIn(parent), fileIn(parent)];
    const versions = [1, 2].map((version) => Buffer.alloc(BYTES.length, version));
    await Promise.all(
      writers.map(async (writer, index) => {
        for (let round = 0; round < 3; round++)
          await writer.write(versions[index] ?? BYTES, NOW + index);
      }),
    );
    const [first, second] = await Promise.all(writers.map(readIn));
    expect(first).toEqual(second);
    expect(versions.map((version) => hash("sha256", version))).toContain(first?.hash);
    expect(await namesIn(parent)).toHaveLength(1);
  });

  it("that is confirmed is as new as the confirmation, for other processes too", async () => {
    const { parent, file } = await savedFolder();
    await file.confirm(NOW + 5_000);
    expect(await readIn(fileIn(parent))).toEqual({ ...SAVED, savedAt: NOW + 5_000 });
  });

  it("is removed, with no others; one that is missing is no failure", async () => {
    const { parent, file } = await savedFolder();
    const other = fileIn(parent, { context: "other" });
    await other.write(BYTES, NOW);
    await file.remove();
    await file.remove();
    await file.confirm(NOW);
    expect([await readIn(file), await readIn(other)]).toEqual([undefined, SAVED]);
    await fileIn(join(parent, "none")).remove();
  });
});

describe("the folder of sealed files", () => {
  it.skipIf(process.platform === "win32")(
    "is accessible only to its context, with any umask",
    async () => {
      const old = process.umask(0);
      onTestFinished(() => void process.umask(old));
      const parent = await temporaryFolder();
      await mkdir(join(parent, "snapshots"), { mode: 0o777 });
      await fileIn(parent).write(BYTES, NOW);
      const names = ["", ...(await namesIn(parent))];
      const modes = names.map(
        async (name) => (await lstat(join(parent, "snapshots", name))).mode & 0o777,
      );
      expect(await Promise.all(modes)).toEqual([0o700, 0o600]);
    },
  );

  it.skipIf(process.platform === "win32")(
    "nothing is read, written or removed behind a link in its place",
    async () => {
      const { parent, name, file } = await savedFolder();
      const target = join(await temporaryFolder(), "public");
      await rename(file.folder, target);
      await chmod(target, 0o755);
      await symlink(target, file.folder);
      expect(await fileIn(parent).read()).toBeUndefined();
      for (const work of [() => file.write(BYTES, NOW), () => file.remove()])
        await expect(work()).rejects.toThrow(`${file.folder} is not a folder`);
      expect([await readdir(target), (await stat(target)).mode & 0o777]).toEqual([[name], 0o755]);
    },
  );

  it.skipIf(process.platform === "win32")(
    "a link in place of a file is not read, and is replaced",
    async () => {
      const { file, path } = await savedFolder();
      const target = join(await temporaryFolder(), "target");
      await rename(path, target);
      await symlink(target, path);
      expect(await file.read()).toBeUndefined();
      const before = await readFile(target);
      await file.write(Buffer.from("new"), NOW);
      expect((await readFile(target)).equals(before)).toBe(true);
      expect((await lstat(path)).isFile()).toBe(true);
    },
  );

  it.skipIf(process.getuid?.() !== 0)(
    "nothing is read, written or removed in another user's folder",
    async () => {
      const { parent, name, file } = await savedFolder({ secret: "" });
      await chown(file.folder, 1234, 1234);
      expect(await file.read()).toBeUndefined();
      for (const work of [() => file.write(BYTES, NOW), () => file.remove()])
        await expect(work()).rejects.toThrow(`${file.folder} belongs to another user`);
      expect(await namesIn(parent)).toEqual([name]);
    },
  );

  it("files that were not used for 30 days are removed, and nothing else", async () => {
    const { parent, path, name, file } = await savedFolder({ context: "http://used:7400" });
    const inFolder = (name: string) => join(parent, "snapshots", name);
    const old = NOW / 1_000 - 30 * 86_400 - 60;
    for (const each of ["a".repeat(64), "notes.txt"]) await writeFile(inFolder(each), "");
    await mkdir(inFolder("b".repeat(64)));
    for (const each of ["a".repeat(64), "notes.txt", "b".repeat(64), name])
      await utimes(inFolder(each), old, old);
    await file.confirm(NOW);
    await fileIn(parent).write(BYTES, NOW);
    const names = await namesIn(parent);
    expect(names).toEqual(expect.arrayContaining(["notes.txt", "b".repeat(64), name]));
    expect(names).toHaveLength(4);
    expect((await stat(path)).isFile()).toBe(true);
  });
});

/** Changes one byte of a file. */
async function flip(path: string, position: number): Promise<void> {
  const file = await open(path, "r+");
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, position);
  await file.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, position);
  await file.close();
}
