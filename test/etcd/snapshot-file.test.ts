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
import { openSnapshotFile, type SnapshotFile, type SnapshotOwner } from "../../src/etcd/snapshot-file.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const OWNER = { url: "etcd://10.0.0.1:2379/appvars", secrets: ["sealing key", undefined, "password"] };
const NO_SECRETS = { ...OWNER, secrets: [undefined, ""] };
const META = { revision: "12", cluster: "a" };
const NOW = Date.now();
/** Sealed in several parts. */
const BYTES = randomBytes(2.5 * 1_024 * 1_024);
const SAVED = { hash: hash("sha256", BYTES), meta: META, savedAt: NOW };

const fileIn = (parent: string, owner: SnapshotOwner = OWNER) => openSnapshotFile(parent, owner, process.getuid?.());
/** What a file holds. The hash of the bytes, since a test compares many bytes one by one. */
const readIn = async (file: SnapshotFile | undefined) => {
  const saved = await file?.read();
  return saved && { hash: hash("sha256", saved.bytes), meta: saved.meta, savedAt: saved.savedAt };
};
const namesIn = async (parent: string) => (await readdir(join(parent, "snapshots"))).sort();

/** A folder with a snapshot, and the path of its file. */
async function savedFolder(owner: SnapshotOwner = OWNER) {
  const parent = await temporaryFolder();
  const file = await fileIn(parent, owner);
  await file.write(BYTES, META, NOW);
  const [name = ""] = (await namesIn(parent)).filter((name) => /^[0-9a-f]{64}$/.test(name));
  return { parent, file, name, path: join(parent, "snapshots", name) };
}

describe("a snapshot file", () => {
  it.each([
    ["some bytes", BYTES],
    ["none", Buffer.alloc(0)],
  ])("a snapshot file returns what was written, in another process too: %s", async (_what, bytes) => {
    const parent = join(await temporaryFolder(), "new", "cache");
    const file = await fileIn(parent);
    expect(await file.read()).toBeUndefined();
    await file.write(bytes, META, NOW);
    for (const reader of [file, await fileIn(parent)]) {
      expect(await readIn(reader)).toEqual({ ...SAVED, hash: hash("sha256", bytes) });
    }
  });

  it("a snapshot file contains neither the data nor the URL in plain", async () => {
    const { parent, name, path } = await savedFolder();
    const file = await readFile(path);
    expect(file.includes(BYTES.subarray(0, 16)) || file.includes("revision")).toBe(false);
    expect(await namesIn(parent)).toEqual([name]);
  });

  it.each([
    ["another URL", { ...OWNER, url: "etcd://10.0.0.2:2379/appvars" }],
    ["another secret", { ...OWNER, secrets: ["sealing key", undefined, "rotated"] }],
    ["the same secrets in other places", { ...OWNER, secrets: ["password", undefined, "sealing key"] }],
    ["no secrets", NO_SECRETS],
  ])("a snapshot file is nothing to a store with %s, even under its name", async (_what, owner) => {
    const { parent, path } = await savedFolder();
    const other = await fileIn(parent, owner);
    expect(await other.read()).toBeUndefined();
    await other.write(Buffer.from("other"), {}, NOW);
    const names = (await namesIn(parent)).filter((name) => name !== "key");
    const [otherName = ""] = names.filter((name) => !path.endsWith(name));
    expect(names).toHaveLength(2);
    await rename(path, join(parent, "snapshots", otherName));
    expect(await other.read()).toBeUndefined();
  });

  it.each([
    ["the first byte", async (path: string) => flip(path, 0)],
    ["a byte in the middle", async (path: string) => flip(path, BYTES.length / 2)],
    ["the last byte", async (path: string) => flip(path, (await stat(path)).size - 1)],
    ["the end, which is cut off", async (path: string) => truncate(path, (await stat(path)).size - 1)],
    ["everything, which is cut off", async (path: string) => truncate(path, 0)],
    ["the end, where a byte was added", async (path: string) => writeFile(path, "a", { flag: "a" })],
    ["its size, which is too large", async (path: string) => truncate(path, 2 ** 31)],
    ["its kind: it is a folder", async (path: string) => rm(path).then(() => mkdir(path))],
  ])("a snapshot file that was changed is not read: %s", async (_what, change) => {
    const { file, path } = await savedFolder();
    await change(path);
    expect(await file.read()).toBeUndefined();
  });

  it("a snapshot file refuses data that it could not read again, and keeps the old", async () => {
    const { file } = await savedFolder();
    const tooLarge = { length: 2 ** 30 + 1 } as Uint8Array;
    await expect(file.write(tooLarge, META, NOW)).rejects.toThrow("can't be written: the limit is 1,024 MB");
    expect(await readIn(file)).toEqual(SAVED);
  });

  it("a writer that was killed leaves the old snapshot, and its temporary file goes with the next write", async () => {
    const { parent, file, name, path } = await savedFolder();
    await writeFile(join(parent, "snapshots", `.${name}.0123456789ab.tmp`), (await readFile(path)).subarray(0, 1_000));
    expect(await readIn(file)).toEqual(SAVED);
    await file.write(BYTES, META, NOW + 1);
    expect(await namesIn(parent)).toEqual([name]);
  });

  it("two processes with one folder each write whole snapshots, and read those of the other", async () => {
    const parent = await temporaryFolder();
    const writers = await Promise.all([fileIn(parent), fileIn(parent)]);
    const versions = [1, 2].map((version) => Buffer.alloc(BYTES.length, version));
    await Promise.all(
      writers.map(async (writer, index) => {
        for (let round = 0; round < 3; round++) await writer.write(versions[index] ?? BYTES, index, NOW);
      }),
    );
    const [first, second] = await Promise.all(writers.map(readIn));
    expect(first).toEqual(second);
    expect(first?.hash).toBe(hash("sha256", versions[Number(first?.meta)] ?? ""));
    expect(await namesIn(parent)).toHaveLength(1);
  });
});

describe("a confirmation", () => {
  it("a confirmation is the time of the data from then on, for other processes too", async () => {
    const { parent, file, path } = await savedFolder();
    const { size } = await stat(path);
    await file.confirm(NOW + 5_000);
    const restarted = await fileIn(parent);
    expect(await readIn(restarted)).toEqual({ ...SAVED, savedAt: NOW + 5_000 });
    await restarted.confirm(NOW + 9_000);
    expect(await readIn(file)).toEqual({ ...SAVED, savedAt: NOW + 9_000 });
    expect((await stat(path)).size).toBe(size);
  });

  it("a confirmation holds for the same data that another process has written", async () => {
    const { parent, file } = await savedFolder();
    await (await fileIn(parent)).write(BYTES, { revision: "13" }, NOW + 1_000);
    await file.confirm(NOW + 5_000);
    expect(await readIn(file)).toEqual({ ...SAVED, meta: { revision: "13" }, savedAt: NOW + 5_000 });
  });

  it("a confirmation of other data, an earlier one, one that was changed and none make no data look newer", async () => {
    const { parent, file, path } = await savedFolder();
    await file.confirm(NOW + 5_000);
    const confirmation = await readFile(`${path}.confirmed`);
    await file.write(Buffer.from("newer"), META, NOW + 1_000);
    const newer = { hash: hash("sha256", "newer"), meta: META, savedAt: NOW + 1_000 };
    expect(await readIn(file)).toEqual(newer);
    await file.confirm(NOW + 500);
    expect(await readIn(file)).toEqual(newer);
    await file.confirm(NOW + 9_000);
    await flip(`${path}.confirmed`, 20);
    expect(await readIn(file)).toEqual(newer);
    await writeFile(`${path}.confirmed`, confirmation);
    expect(await readIn(file)).toEqual(newer);
    await rm(`${path}.confirmed`);
    expect(await readIn(file)).toEqual(newer);
    const stranger = await fileIn(parent);
    await stranger.confirm(NOW + 9_000);
    expect(await readIn(stranger)).toEqual(newer);
  });
});

describe("the folder of snapshots", () => {
  it.skipIf(process.platform === "win32")(
    "the folder of snapshots is accessible only to its owner, whatever the umask is and was",
    async () => {
      const old = process.umask(0);
      onTestFinished(() => void process.umask(old));
      const parent = await temporaryFolder();
      await mkdir(join(parent, "snapshots"), { mode: 0o777 });
      const file = await fileIn(parent, NO_SECRETS);
      await file.write(BYTES, META, NOW);
      await file.confirm(NOW);
      const names = ["", ...(await namesIn(parent))];
      const modes = names.map(async (name) => (await lstat(join(parent, "snapshots", name))).mode & 0o777);
      expect(await Promise.all(modes)).toEqual([0o700, 0o600, 0o600, 0o600]);
    },
  );

  it.skipIf(process.platform === "win32")("nothing is written behind a link in its place", async () => {
    for (const owner of [OWNER, NO_SECRETS]) {
      const [parent, target] = [await temporaryFolder(), await temporaryFolder()];
      await chmod(target, 0o755);
      await symlink(target, join(parent, "snapshots"));
      const write = async () => (await fileIn(parent, owner)).write(BYTES, META, NOW);
      await expect(write()).rejects.toThrow(`${join(parent, "snapshots")} is not a folder`);
      expect([await readdir(target), (await stat(target)).mode & 0o777]).toEqual([[], 0o755]);
    }
  });

  it.skipIf(process.platform === "win32")("a link in place of a file is not read, and is replaced", async () => {
    const { file, path } = await savedFolder();
    const target = join(await temporaryFolder(), "target");
    await rename(path, target);
    await symlink(target, path);
    expect(await file.read()).toBeUndefined();
    const before = await readFile(target);
    await file.write(Buffer.from("new"), META, NOW);
    expect((await readFile(target)).equals(before)).toBe(true);
    expect((await lstat(path)).isFile()).toBe(true);
  });

  it.skipIf(process.getuid?.() !== 0)("nothing is written in another user's folder", async () => {
    for (const owner of [OWNER, NO_SECRETS]) {
      const parent = await temporaryFolder();
      await mkdir(join(parent, "snapshots"));
      await chown(join(parent, "snapshots"), 1234, 1234);
      const write = async () => (await fileIn(parent, owner)).write(BYTES, META, NOW);
      await expect(write()).rejects.toThrow(`${join(parent, "snapshots")} belongs to another user`);
      expect(await namesIn(parent)).toEqual([]);
    }
  });

  it("what other stores have not used for 30 days is removed, and nothing that is not a snapshot", async () => {
    const { parent, path, name, file } = await savedFolder({ ...OWNER, url: "etcd://used:2379/appvars" });
    const inFolder = (name: string) => join(parent, "snapshots", name);
    const old = NOW / 1_000 - 30 * 86_400 - 60;
    const unused = ["a".repeat(64), `${"a".repeat(64)}.confirmed`, `.${"a".repeat(64)}.0123456789ab.tmp`];
    for (const each of [...unused, "notes.txt"]) {
      await writeFile(inFolder(each), "");
      await utimes(inFolder(each), old, old);
    }
    await mkdir(inFolder("b".repeat(64)));
    await utimes(inFolder("b".repeat(64)), old, old);
    await utimes(path, old, old);
    await file.confirm(NOW);
    const own = await fileIn(parent);
    await own.write(BYTES, META, NOW);
    const names = await namesIn(parent);
    expect(names).toEqual(expect.arrayContaining(["notes.txt", "b".repeat(64), name, `${name}.confirmed`]));
    expect(names).toHaveLength(5);
  });
});

describe("the key of a store without secrets", () => {
  it("the key of a store without secrets is the same for all that start at once", async () => {
    const parent = await temporaryFolder();
    const files = await Promise.all(Array.from({ length: 8 }, () => fileIn(parent, NO_SECRETS)));
    await files[0]?.write(BYTES, META, NOW);
    for (const file of files) expect(await readIn(file)).toEqual(SAVED);
    expect(await namesIn(parent)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), "key"]);
  });

  it("the key of a store without secrets is not replaced: without it, its snapshot is lost", async () => {
    const { parent } = await savedFolder(NO_SECRETS);
    const path = join(parent, "snapshots", "key");
    await truncate(path, 10);
    await expect(fileIn(parent, NO_SECRETS)).rejects.toThrow(`${path} is not a key that appvars has made: remove it`);
    await rm(path);
    expect(await (await fileIn(parent, NO_SECRETS)).read()).toBeUndefined();
  });

  it.skipIf(process.getuid?.() !== 0)("the key of a store without secrets must be of the same user", async () => {
    const { parent } = await savedFolder(NO_SECRETS);
    const path = join(parent, "snapshots", "key");
    await chown(path, 1234, 1234);
    await expect(fileIn(parent, NO_SECRETS)).rejects.toThrow("is not a key that appvars has made");
  });
});

/** Changes one byte of a file. */
async function flip(path: string, position: number): Promise<void> {
  const file = await open(path, "r+");
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, position);
  await file.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, position);
  await file.close();
}
