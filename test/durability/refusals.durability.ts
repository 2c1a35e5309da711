import { execFile } from "node:child_process";
import { chmod, chown, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { EXIT_CODES } from "../../src/cli/output/report-error.js";
import { createDataFile } from "../../src/store/file/data-file.js";
import { BINARY, run as start } from "../support/binary.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import {
  checkHistory,
  countingData,
  countingFile,
  leftBeside,
  readCount,
} from "./counting-file.js";
import { addRow, figure, since } from "./figure.js";
import { type ProgramOptions, runWriter } from "./programs.js";

const IS_SUPERUSER = process.getuid?.() === 0;
// Permissions don't apply to root, so its writers run as another user; the id need not have a name.
const USER = IS_SUPERUSER ? { uid: 65_534, gid: 65_534 } : {};
const run = promisify(execFile);

// Mounting takes more than being root in most containers.
const CAN_MOUNT = IS_SUPERUSER && (await canMount());

describe("a writer that can't write", () => {
  it.skipIf(!CAN_MOUNT)(
    "leaves the file as it was on a full disk, and writes once there is room",
    async () => {
      const folder = await smallDisk("32k");
      const path = join(folder, "vars.json");
      await createDataFile(path, countingData(20_000));
      await refused("full disk (tmpfs)", path, "can't be written: the disk is full");
      await run("mount", ["-o", "remount,size=56k", folder]);
      const reason = `can't be changed: ${path}.history.jsonl can't be written: the disk is full`;
      await refused("full disk (tmpfs), but for the data", path, reason);

      await run("mount", ["-o", "remount,size=256k", folder]);
      expect(await runWriter([path, "count", "1"])).toStrictEqual({ code: 0, lines: ["1"] });
      expect(await readCount(path)).toBe(1);
    },
  );

  it("leaves the file as it was when files may not be that large", async () => {
    const path = await countingFile(20_000);
    // Blocks of 512 or 1,024 bytes, as the shell has it: half the file at most.
    const through = ["sh", "-c", 'ulimit -f 10; exec "$@"', "sh"];
    const reason = "can't be written: the file would be too large";
    await refused("file size limit", path, reason, { through });
    expect(await runWriter([path, "count", "1"])).toStrictEqual({ code: 0, lines: ["1"] });
    await refused("file size limit, with a history", path, reason, { through });
    await checkHistory(path);
  });

  it("is reported by the command, too, with the exit code of invalid data", async () => {
    const path = await countingFile(20_000);
    const command = [
      process.execPath,
      BINARY,
      "set",
      "HEAD",
      "1",
      "--data",
      path,
      "--env",
      "development",
    ];
    const { code } = await start("sh", ["-c", 'ulimit -f 10; exec "$@"', "sh", ...command]);
    figure(`file size limit, the command line: exit code ${code}`);
    expect(code).toBe(EXIT_CODES.invalid_data);
    expect(await readCount(path)).toBe(0);
    expect(await leftBeside(path)).toStrictEqual([]);
  });

  it.skipIf(!CAN_MOUNT)(
    "leaves the file as it was on a file system that is read-only",
    async () => {
      const folder = await smallDisk("64k");
      const path = join(folder, "vars.json");
      await createDataFile(path, countingData(10_000));
      await run("mount", ["-o", "remount,ro", folder]);
      await refused(
        "read-only file system",
        path,
        "can't be written: the file system is read-only",
      );
    },
  );

  it("leaves the file as it was in a folder that is read-only", async () => {
    const path = await countingFile(10_000);
    await give(path, 0o600);
    await give(dirname(path), 0o500);
    onTestFinished(() => chmod(dirname(path), 0o700));
    await refused("read-only folder", path, "can't be written: permission denied", USER);
  });

  it("leaves a file as it was that it may not read", async () => {
    const path = await countingFile(10_000);
    await give(dirname(path), 0o700);
    // Root's own when run by root.
    await chmod(path, IS_SUPERUSER ? 0o600 : 0o200);
    const before = IS_SUPERUSER ? await readFile(path) : undefined;
    const { code, lines } = await runWriter([path, "count", "1"], USER);
    expect({ code, lines }).toStrictEqual({
      code: EXIT_CODES.invalid_data,
      lines: [`invalid_data ${path} can't be read: permission denied`],
    });
    await chmod(path, 0o600);
    if (before) expect(await readFile(path)).toStrictEqual(before);
    expect(await readCount(path)).toBe(0);
    expect(await leftBeside(path)).toStrictEqual([]);
  });
});

/**
 * Runs a writer, and checks that it reports this error, keeps the file's bytes and leaves no file
 * behind.
 */
async function refused(
  title: string,
  path: string,
  reason: string,
  options?: ProgramOptions,
): Promise<void> {
  const before = await readFile(path);
  const start = performance.now();
  const { code, lines } = await runWriter([path, "count", "1"], options);
  const took = since(start);
  const same = before.equals(await readFile(path));
  const left = await leftBeside(path);
  addRow({
    test: "a write that can't be made",
    tries: 1,
    torn: same ? 0 : 1,
    refused: code === EXIT_CODES.invalid_data ? 1 : 0,
  });
  figure(
    `${title}: ${lines.join()}; the file is ${same ? "the same byte for byte" : "ANOTHER"}, ` +
      `${left.length} other files left (${took})`,
  );
  expect({ code, lines }).toStrictEqual({
    code: EXIT_CODES.invalid_data,
    lines: [`invalid_data ${path} ${reason}`],
  });
  expect({ same, left }).toStrictEqual({ same: true, left: [] });
}

async function give(path: string, mode: number): Promise<void> {
  await chmod(path, mode);
  if (USER.uid !== undefined) await chown(path, USER.uid, USER.gid);
}

/** A file system of that size, gone when the current test ends. */
async function smallDisk(size: string): Promise<string> {
  const folder = join(await temporaryFolder(), "disk");
  await mkdir(folder);
  await run("mount", ["-t", "tmpfs", "-o", `size=${size}`, "appvars-test", folder]);
  onTestFinished(async () => void (await run("umount", [folder])));
  return folder;
}

async function canMount(): Promise<boolean> {
  return run("unshare", ["--mount", "mount", "-t", "tmpfs", "appvars-test", "/mnt"]).then(
    () => true,
    () => false,
  );
}
