import { chmod, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeScratchFolder, scratchParents } from "../../src/files/scratch-folder.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const user = process.getuid?.();
describe.skipIf(process.platform === "win32")("a folder for a secret", () => {
  it("a scratch folder is private, and in the first place that allows one", async () => {
    const parent = await temporaryFolder();
    const folder = await makeScratchFolder([join(parent, "missing"), parent], user);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await expect(makeScratchFolder([join(parent, "missing")], user)).rejects.toThrow(/can't be created: no such file/);
  });

  it.runIf(process.platform === "linux")("the runtime folder is used if it is private and in memory", async () => {
    const temporary = await temporaryFolder();
    const parents = (runtimeFolder: string | undefined) =>
      scratchParents({ runtimeFolder, temporaryFolder: temporary, user });
    const inMemory = await makeScratchFolder(["/dev/shm"], user);
    try {
      expect(parents(inMemory)).toEqual([inMemory, "/dev/shm", temporary]);
      await chmod(inMemory, 0o755);
      expect(parents(inMemory)).toEqual(["/dev/shm", temporary]);
      expect(parents("relative")).toEqual(["/dev/shm", temporary]);
      expect(parents(undefined)).toEqual(["/dev/shm", temporary]);
    } finally {
      await rmdir(inMemory);
    }
  });
});
