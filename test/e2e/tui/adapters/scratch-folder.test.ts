import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createToken } from "../../../../src/kit/process/process-token.js";
import {
  makeScratchFolder,
  removeLeftScratchFolders,
} from "../../../../src/tui/adapters/external-editor.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const user = process.getuid?.();

/** The token of a process that has ended. */
async function tokenOfDead(): Promise<string> {
  const child = spawn("true");
  await once(child, "exit");
  return createToken().replace(`-${process.pid}-`, `-${child.pid}-`);
}

async function folderIn(parent: string, name: string, mode = 0o700): Promise<void> {
  await mkdir(join(parent, name));
  await writeFile(join(parent, name, "KEY.txt"), "hunter2");
  await chmod(join(parent, name), mode);
}

describe.skipIf(process.platform === "win32")("a folder for a secret", () => {
  it.runIf(process.platform === "linux")(
    "scratch folders of processes that no longer exist are removed",
    async () => {
      const parent = await temporaryFolder();
      const running = basename(await makeScratchFolder([parent], user));
      const dead = await tokenOfDead();
      const elsewhere = `appvars-edit-${dead.replace(/(-\d+-\d+)-.*$/, "$1-another-host")}`;
      await folderIn(parent, `appvars-edit-${dead}`);
      await folderIn(parent, elsewhere);
      await removeLeftScratchFolders([parent], user);
      expect((await readdir(parent)).toSorted()).toEqual([running, elsewhere].toSorted());
    },
  );

  it.runIf(process.platform === "linux")(
    "a path that only looks like a scratch folder is not removed",
    async () => {
      const parent = await temporaryFolder();
      const target = await temporaryFolder();
      await writeFile(join(target, "kept"), "");
      const [open, link, file] = [await tokenOfDead(), await tokenOfDead(), await tokenOfDead()];
      await folderIn(parent, `appvars-edit-${open}`, 0o755);
      await symlink(target, join(parent, `appvars-edit-${link}`));
      await writeFile(join(parent, `appvars-edit-${file}`), "");
      await folderIn(parent, "appvars-edit-mine");
      const before = await readdir(parent);
      await removeLeftScratchFolders([parent], user);
      expect(await readdir(parent)).toEqual(before);
      expect(await readdir(target)).toEqual(["kept"]);
    },
  );
});
