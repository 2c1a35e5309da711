import { execFile } from "node:child_process";
import { chmod, chown, lchown, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { pathRisks } from "../../src/files/path-risks.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const IS_ROOT = process.getuid?.() === 0;
const run = promisify(execFile);
// Mounting takes more than being root in most containers.
const CAN_MOUNT = IS_ROOT && (await run("unshare", ["--mount", "true"]).then(Boolean, () => false));

// Root makes files of anybody, and asks for a user; anybody else makes files of their own.
const US = IS_ROOT
  ? { user: 1000, groups: [1000, 2000] }
  : { user: process.getuid?.() ?? 0, groups: process.getgroups?.() ?? [] };
const OUR_GROUP = US.groups[0] ?? 0;
const OTHER = 1234;

/** A folder with a file in it, both ours. */
async function ourFile() {
  const folder = join(await temporaryFolder(), "folder");
  const path = join(folder, "vars.json");
  await mkdir(folder);
  await writeFile(path, "");
  for (const made of [folder, path]) await chown(made, US.user, OUR_GROUP);
  await chmod(folder, 0o755);
  await chmod(path, 0o644);
  return { folder, path };
}

const risks = (path: string) => pathRisks(path, US).map((risk) => [risk.path, risk.kind, risk.holder]);

describe.skipIf(process.platform === "win32")("what lets others change a file", () => {
  it.each([
    [0o700, 0o600],
    [0o755, 0o644],
    [0o775, 0o664],
    [0o1777, 0o644],
    [0o3777, 0o644],
  ])("pathRisks finds nothing with folder mode %o and file mode %o", async (folderMode, fileMode) => {
    const { folder, path } = await ourFile();
    await chmod(folder, folderMode);
    await chmod(path, fileMode);
    expect(risks(path)).toEqual([]);
  });

  it("pathRisks finds a file and a folder that everybody can write", async () => {
    const { folder, path } = await ourFile();
    await chmod(folder, 0o777);
    await chmod(path, 0o646);
    expect(risks(path)).toEqual([
      [folder, "folder", "everybody"],
      [path, "file", "everybody"],
    ]);
  });

  it("pathRisks finds the folder of a file that does not exist yet", async () => {
    const { folder } = await ourFile();
    await chmod(folder, 0o777);
    expect(risks(join(folder, "none", "new.json"))).toEqual([[folder, "folder", "everybody"]]);
  });

  it("pathRisks finds a folder that a link leads through, once", async () => {
    const { folder, path } = await ourFile();
    await chmod(folder, 0o777);
    const other = join(await temporaryFolder(), "other");
    await mkdir(other);
    await symlink(folder, join(other, "absolute"));
    await symlink("absolute/../folder/vars.json", join(other, "relative"));
    for (const link of ["absolute", "relative"]) await lchown(join(other, link), US.user, OUR_GROUP);
    expect(risks(join(other, "absolute", "vars.json"))).toEqual([[folder, "folder", "everybody"]]);
    expect(risks(join(other, "relative"))).toEqual([[folder, "folder", "everybody"]]);
    expect(risks(path)).toEqual([[folder, "folder", "everybody"]]);
  });

  it("pathRisks ends with circular links", async () => {
    const folder = await temporaryFolder();
    await symlink("second", join(folder, "first"));
    await symlink("first", join(folder, "second"));
    expect(risks(join(folder, "first"))).toEqual([]);
  });

  describe.skipIf(!IS_ROOT)("of other users", () => {
    it("pathRisks finds nothing if everything belongs to root and its group", async () => {
      const { folder, path } = await ourFile();
      for (const made of [folder, path]) await chown(made, 0, 0);
      await chmod(folder, 0o775);
      expect(risks(path)).toEqual([]);
    });

    it("pathRisks finds another owner of the file", async () => {
      const { path } = await ourFile();
      await chown(path, OTHER, OUR_GROUP);
      expect(pathRisks(path, US)).toEqual([{ path, kind: "file", holder: "owner", id: OTHER }]);
    });

    it("pathRisks finds another owner of a parent folder, sticky or not", async () => {
      const { folder, path } = await ourFile();
      await chown(folder, OTHER, OUR_GROUP);
      for (const mode of [0o755, 0o1777]) {
        await chmod(folder, mode);
        expect(risks(path)).toEqual([[folder, "folder", "owner"]]);
      }
    });

    it("pathRisks finds another user's file or link in a sticky folder", async () => {
      const { folder, path } = await ourFile();
      await chown(folder, 0, 0);
      await chmod(folder, 0o1777);
      const link = join(folder, "link.json");
      await symlink(path, link);
      await lchown(link, OTHER, OTHER);
      expect(pathRisks(link, US)).toEqual([{ path: link, kind: "link", holder: "owner", id: OTHER }]);
      await chown(path, OTHER, OTHER);
      expect(risks(path)).toEqual([[path, "file", "owner"]]);
    });

    it("pathRisks finds another user's folder that `..` after our own link leads to", async () => {
      const { folder, path } = await ourFile();
      const theirs = join(folder, "theirs");
      await mkdir(join(theirs, "sub"), { recursive: true });
      await writeFile(join(theirs, "vars.json"), "");
      await chown(theirs, OTHER, OTHER);
      for (const [name, target] of [
        ["relative", "theirs/sub"],
        ["absolute", `${folder}/../folder/theirs/sub/`],
      ] as const) {
        await symlink(target, join(folder, name));
        expect(risks(`${folder}/${name}/../vars.json`)).toEqual([[theirs, "folder", "owner"]]);
        const fromHere = `${relative(process.cwd(), folder)}/${name}/../vars.json`;
        expect(risks(fromHere)).toEqual([[theirs, "folder", "owner"]]);
      }
      expect(risks(`${folder}/../folder/./vars.json`)).toEqual(risks(path));
    });

    it("pathRisks finds a group that can write and that we are not in", async () => {
      const { folder, path } = await ourFile();
      for (const made of [folder, path]) await chown(made, US.user, OTHER);
      await chmod(folder, 0o775);
      await chmod(path, 0o660);
      expect(risks(path)).toEqual([
        [folder, "folder", "group"],
        [path, "file", "group"],
      ]);
      for (const made of [folder, path]) await chown(made, US.user, US.groups[1] ?? 0);
      expect(risks(path)).toEqual([]);
    });

    it("pathRisks finds every file of another user for root", async () => {
      const { folder, path } = await ourFile();
      const found = pathRisks(path, { user: 0, groups: [0] });
      expect(found.map((risk) => [risk.path, risk.holder])).toEqual([
        [folder, "owner"],
        [path, "owner"],
      ]);
    });

    it.skipIf(!CAN_MOUNT)(
      "pathRisks ignores modes on a read-only file system, such as that of a ConfigMap",
      async () => {
        const folder = join(await temporaryFolder(), "config");
        await mkdir(folder);
        await run("mount", ["-t", "tmpfs", "-o", "size=64k,mode=0777", "appvars-test", folder]);
        onTestFinished(async () => void (await run("umount", [folder])));
        const path = join(folder, "vars.json");
        await writeFile(path, "", { mode: 0o644 });
        expect(risks(path)).toEqual([[dirname(path), "folder", "everybody"]]);
        await run("mount", ["-o", "remount,ro", folder]);
        expect(risks(path)).toEqual([]);
      },
    );
  });
});
