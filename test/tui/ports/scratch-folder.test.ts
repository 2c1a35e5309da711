import { mkdir, readdir, stat, utimes } from "node:fs/promises";
import { uptime } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createToken } from "../../../src/kit/files/lock-holder.js";
import {
  makeScratchFolder,
  removeLeftScratchFolders,
} from "../../../src/tui/ports/scratch-folder.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const user = process.getuid?.();
describe.skipIf(process.platform === "win32")("a folder for a secret", () => {
  it("a scratch folder is private, and in the first parent folder that allows one", async () => {
    const parent = await temporaryFolder();
    const folder = await makeScratchFolder([join(parent, "missing"), parent], user);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await expect(makeScratchFolder([join(parent, "missing")], user)).rejects.toThrow(
      /can't be created: no such file/,
    );
  });

  it("a scratch folder from before the boot is removed, even if the start time of its process is hidden", async () => {
    const parent = await temporaryFolder();
    const left = join(
      parent,
      `appvars-edit-${createToken().replace(/^(\w+-\w+-\d+)-\d+/, "$1-0")}`,
    );
    await mkdir(left, { mode: 0o700 });
    await removeLeftScratchFolders([parent], user);
    expect(await readdir(parent)).toHaveLength(1);
    const beforeBoot = Date.now() / 1_000 - uptime() - 600;
    await utimes(left, beforeBoot, beforeBoot);
    await removeLeftScratchFolders([parent], user);
    expect(await readdir(parent)).toHaveLength(0);
  });
});
