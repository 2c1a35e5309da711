import { renameSync, writeFileSync } from "node:fs";
import {
  appendFile,
  chmod,
  chown,
  mkdir,
  readFile,
  rename,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AppendFile } from "../../../src/kit/files/append-file.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const fakedFs = vi.hoisted(() => ({ room: Number.POSITIVE_INFINITY, onFull: () => {} }));

vi.mock("node:fs", async (load) => {
  const real = await load<typeof import("node:fs")>();
  const writeSync = (descriptor: number, bytes: Buffer, start: number) => {
    const part = bytes.subarray(start, start + fakedFs.room);
    fakedFs.room -= part.length;
    if (part.length > 0) return real.writeSync(descriptor, part);
    fakedFs.onFull();
    throw Object.assign(new Error(), { code: "ENOSPC" });
  };
  const ftruncateSync = (descriptor: number, size: number) => {
    const { 1: flags = "" } =
      /flags:\s+(\d+)/.exec(real.readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8")) ?? [];
    if (Number.parseInt(flags, 8) & real.constants.O_APPEND)
      throw Object.assign(new Error(), { code: "EPERM" });
    real.ftruncateSync(descriptor, size);
  };
  return { ...real, writeSync, ftruncateSync };
});

const ACCOUNT = { user: process.getuid?.(), groups: process.getgroups?.() ?? [] };

async function appendTo(name = "audit.log", account = ACCOUNT) {
  const folder = await temporaryFolder();
  const path = join(folder, name);
  const file = new AppendFile(path, account);
  onTestFinished(() => file.close());
  return { folder, path, file, text: () => readFile(path, "utf8") };
}

it("an append file is created for its user only, and is appended to", async () => {
  const { path, file, text } = await appendTo();
  file.append("1\n");
  file.append("2\n3\n");
  expect(await text()).toBe("1\n2\n3\n");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const other = new AppendFile(path, ACCOUNT);
  onTestFinished(() => other.close());
  other.append("4\n");
  file.append("5\n");
  expect(await text()).toBe("1\n2\n3\n4\n5\n");
});

it("an append file goes on in the renamed file until it is opened again", async () => {
  const { path, file, text } = await appendTo();
  file.append("1\n");
  await rename(path, `${path}.1`);
  file.append("2\n");
  await mkdir(path);
  expect(() => file.open()).toThrow(`${path} can't be opened: it is a folder`);
  file.append("3\n");
  await rename(path, `${path}.folder`);
  file.open();
  file.append("4\n");
  expect(await readFile(`${path}.1`, "utf8")).toBe("1\n2\n3\n");
  expect(await text()).toBe("4\n");
});

it("an append file ends a line that was left unfinished", async () => {
  const { path, file, text } = await appendTo();
  await writeFile(path, "1\ntorn", { mode: 0o600 });
  file.append("2\n");
  await appendFile(path, "3\n");
  expect(await text()).toBe("1\ntorn\n2\n3\n");
});

describe.skipIf(process.platform !== "linux")("a line that fits on the disk only in part", () => {
  /** Appends to a file that may have no more bytes than this. */
  async function appendToFullDisk(room: number, meanwhile: (path: string) => void = () => {}) {
    const { path, file, text } = await appendTo();
    file.append("1\n");
    fakedFs.room = room;
    fakedFs.onFull = () => meanwhile(path);
    onTestFinished(() => {
      fakedFs.room = Number.POSITIVE_INFINITY;
    });
    expect(() => file.append("2 is too long\n")).toThrow(
      `${path} can't be written: the disk is full`,
    );
    fakedFs.room = Number.POSITIVE_INFINITY;
    return { path, file, text };
  }

  it("is removed again, also where a descriptor that appends can't shorten a file, as on Windows", async () => {
    const { file, text } = await appendToFullDisk(5);
    expect(await text()).toBe("1\n");
    file.append("3\n");
    expect(await text()).toBe("1\n3\n");
  });

  it("stays in a file that was renamed, and no other file is shortened", async () => {
    const { path, file, text } = await appendToFullDisk(5, (path) => {
      renameSync(path, `${path}.1`);
      writeFileSync(path, "of another, and long\n");
    });
    file.append("3\n");
    expect([await readFile(`${path}.1`, "utf8"), await text()]).toEqual([
      "1\n2 is \n3\n",
      "of another, and long\n",
    ]);
  });
});

describe.skipIf(process.platform === "win32")("an append file is refused", () => {
  it("if it is a link", async () => {
    const { folder, path, file } = await appendTo();
    await writeFile(join(folder, "target"), "");
    await symlink("target", path);
    expect(() => file.append("1\n")).toThrow(`${path} can't be opened: it is a link`);
  });

  it("if it is a device", async () => {
    const device = new AppendFile("/dev/null", { user: undefined, groups: [] });
    expect(() => device.open()).toThrow("/dev/null can't be opened: it is not a regular file");
  });

  it("if others can write it", async () => {
    const { path, file } = await appendTo();
    await writeFile(path, "");
    await chmod(path, 0o602);
    expect(() => file.open()).toThrow("can't be opened: it can be written by everybody");
    await chmod(path, 0o600);
    file.open();
  });

  it.skipIf(process.getuid?.() !== 0)("if it belongs to another user, even by root", async () => {
    const { path, file } = await appendTo();
    await writeFile(path, "", { mode: 0o600 });
    await chown(path, 1000, 1000);
    expect(() => file.open()).toThrow(`${path} can't be opened: it belongs to another user`);
  });
});
