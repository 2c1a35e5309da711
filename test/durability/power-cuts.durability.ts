import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, onTestFinished, type TestContext, vi } from "vitest";
import type { Data } from "../../src/store/data.js";
import { createDataFile } from "../../src/store/file/data-file.js";
import { openDataFile } from "../../src/store/file/json-file-store.js";
// Loaded here, since a cut in the middle of loading it would wait for itself.
import "../../src/store/file/update-data-file.js";
import { QUICK } from "../support/measuring.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { checkHistory, countingData, leftBeside, readCount } from "./counting-file.js";
import { addRow, figure, since } from "./figure.js";
import { withFsCalls } from "./fs-calls.js";
import { startProgram } from "./programs.js";
import { Stepper, World } from "./stepper.js";

const CUTS = QUICK ? 5 : 100;
const CUT_WITHIN_MS = 150;
const DISK_BYTES = 48_000_000;
const run = promisify(execFile);

/** Why there can be no power cuts here; undefined when there can. */
let obstacle: string | undefined;
beforeAll(async () => {
  obstacle = process.platform === "linux" ? undefined : "this is not Linux";
  obstacle ??= await run("unshare", ["--mount", "sh", "-ec", PROBE]).then(
    () => undefined,
    ({ stderr }: { stderr: string }) => `no loop device can be mounted here: ${stderr.trim()}`,
  );
  if (obstacle !== undefined) figure(`power cuts: skipped, ${obstacle}`);
});
const PROBE = `
  folder=$(mktemp -d)
  trap 'rm -r "$folder"' EXIT
  truncate -s 1M "$folder/image"
  mkfs.ext4 -q "$folder/image"
  mkdir "$folder/disk"
  mount -o loop "$folder/image" "$folder/disk"
  fsfreeze -f "$folder/disk"
  fsfreeze -u "$folder/disk"
  umount "$folder/disk"`;

describe("a power cut", () => {
  it("before any file-system call of a write, and after it, loses no acknowledged write", async (context) => {
    const start = performance.now();
    const { calls, ...counted } = await cutAtEachCall(context);
    addRow({ test: "power cut before each call of a write", ...counted });
    figure(
      `power cut before each of ${calls} calls of a write, and after it: ${counted.tries} cuts, ${counted.lost} lost ` +
        `acknowledged writes, ${counted.torn} tore the file (${since(start)})`,
    );
    expect(counted).toMatchObject({ lost: 0, torn: 0 });
  });

  it("is noticed here when writes are not synced: those that were acknowledged are gone, or half there", async (context) => {
    const { lost, torn, tries } = await cutAtEachCall(context, { synced: false, most: 3 });
    figure(
      `the same without fsync, which has to fail: ${tries} cuts, ${lost} lost writes, ${torn} torn files`,
    );
    expect(lost + torn).toBeGreaterThan(0);
  });

  it("at any moment loses no acknowledged write of several writers", async (context) => {
    const start = performance.now();
    const disk = await newDisk(context);
    const paths = await Promise.all(
      [10_000, 10_000, 5_000_000].map((bytes, file) => disk.newFile(`${file}.json`, bytes)),
    );
    // Two of them share a file.
    const writers = [0, 0, 1, 2].map((file) => ({
      file,
      program: startProgram("writer.mjs", [paths[file] ?? "", "count"]),
    }));
    onTestFinished(async () => {
      for (const { program } of writers) program.kill();
      await Promise.all(writers.map(({ program }) => program.ended));
    });
    await Promise.all(writers.map(({ program }) => program.firstLine));
    const counted = { tries: 0, lost: 0, torn: 0 };
    for (let cut = 0; cut < CUTS; cut++) {
      await delay(Math.random() * CUT_WITHIN_MS);
      const acknowledged = paths.map((_, of) =>
        Math.max(
          ...writers.map(({ file, program }) => (file === of ? Number(program.lines.at(-1)) : 0)),
        ),
      );
      await disk.cutPower(async (copy) => {
        for (const [file, path] of paths.entries())
          await examine(copy(path), acknowledged[file] ?? 0, counted);
      });
      counted.tries++;
    }
    const writes = writers.reduce((sum, { program }) => sum + program.lines.length, 0);
    addRow({ test: "power cut under four writers", ...counted });
    figure(
      `power cut under four writers: ${CUTS} cuts, ${writes} writes acknowledged, ${counted.lost} lost, ` +
        `${counted.torn} torn files (${since(start)})`,
    );
    expect(counted).toMatchObject({ lost: 0, torn: 0 });
  });
});

async function cutAtEachCall(
  context: TestContext,
  { synced = true, most = Number.POSITIVE_INFINITY } = {},
) {
  const disk = await newDisk(context);
  const path = await disk.newFile("vars.json", 10_000);
  const counted = { tries: 0, lost: 0, torn: 0 };
  const cut = async (acknowledged: number) => {
    await disk.cutPower((copy) => examine(copy(path), acknowledged, counted));
    counted.tries++;
  };
  const store = await openDataFile(path);
  let calls: number;
  let writes = 0;
  do {
    calls = 0;
    const around = ({ name }: { name: string }, proceed: () => unknown) =>
      name.endsWith("Sync") ? proceed() : cutBefore(name, proceed);
    const cutBefore = async (name: string, proceed: () => unknown) => {
      calls++;
      if (calls === writes + 1) await cut(writes);
      return name === "sync" && !synced ? undefined : proceed();
    };
    await withFsCalls(around, () => store.update((data) => withCount(data, writes + 1)));
    writes++;
    await cut(writes);
  } while (writes < Math.min(calls, most));
  return { calls, ...counted };
}

/** Checks a file as it is after the power cut, and writes it once more. */
async function examine(
  path: string,
  acknowledged: number,
  counted: Record<"lost" | "torn", number>,
) {
  const count = await readCount(path).catch(() => undefined);
  const problem = await checkHistory(path).catch(({ message }: Error) => message);
  if (problem) figure(`the history: ${problem}`);
  if (count === undefined || problem) {
    counted.torn++;
    return;
  }
  counted.lost += Math.max(0, acknowledged - count);

  const world = new World({ isRestarted: true });
  const next = new Stepper("after the boot", world, async () => {
    await (await openDataFile(path)).update((data) => withCount(data, count + 1));
  });
  await next.go();
  expect(next.outcome).toStrictEqual({});
  expect(await readCount(path)).toBe(count + 1);
  await checkHistory(path);
  expect((await leftBeside(path)).filter((name) => name.includes(basename(path)))).toStrictEqual(
    [],
  );
}

/** Both counters of a counting file are its only numbers. */
function withCount(data: Data, count: number): Data {
  const counted = (value: unknown) =>
    ({ value: typeof value === "number" ? count : value }) as { value: number };
  return {
    ...data,
    values: data.values.map((record) => ({ ...record, content: counted(record.content.value) })),
  };
}

interface Disk {
  newFile(name: string, bytes: number): Promise<string>;
  /**
   * Copies the disk as it is at this moment, and mounts the copy, which replays its journal.
   *
   * @param look gets where a file of the disk is in the copy
   */
  cutPower(look: (copy: (path: string) => string) => Promise<void>): Promise<void>;
}

/**
 * A file system on a separate disk. The disk is an image that a loop device writes past the page
 * cache, so it has no unsynced data. The image is on a file system that can be frozen: while it is
 * copied, nothing writes it. No file system has to keep unsynced data, but ext4 tries: the options
 * are those with which it tries least.
 */
async function newDisk({ skip }: TestContext): Promise<Disk> {
  skip(obstacle !== undefined, obstacle);
  const folder = await temporaryFolder();
  const [host, disk] = ["host", "disk"].map((name) => join(folder, name)) as [string, string];
  await Promise.all([host, disk].map((path) => mkdir(path)));
  await makeImage(join(folder, "host.img"), 2 * DISK_BYTES);
  await run("mount", ["-o", "loop", join(folder, "host.img"), host]);
  onTestFinished(() => unmount(host));
  const image = join(host, "disk.img");
  await makeImage(image, DISK_BYTES);
  const { stdout } = await run("losetup", ["--find", "--show", "--direct-io=on", image]);
  const device = stdout.trim();
  onTestFinished(async () => void (await run("losetup", ["--detach", device])));
  await run("mount", ["-o", "noauto_da_alloc,data=writeback,commit=300", device, disk]);
  onTestFinished(() => unmount(disk));

  return {
    async newFile(name, bytes) {
      const path = join(disk, name);
      await createDataFile(path, countingData(bytes));
      return path;
    },
    async cutPower(look) {
      // A new name each time: the loop device of the previous copy may still be attached.
      const after = await mkdtemp(join(folder, "after-"));
      const copy = `${after}.img`;
      // A freeze soon after a thaw can fail as busy on a loaded machine.
      await vi.waitFor(() => run("fsfreeze", ["--freeze", host]), {
        timeout: 10_000,
        interval: 20,
      });
      try {
        await run("cp", ["--sparse=always", image, copy]);
      } finally {
        await run("fsfreeze", ["--unfreeze", host]);
      }
      await run("mount", ["-o", "loop", copy, after]);
      try {
        await look((path) => join(after, basename(path)));
      } finally {
        await unmount(after);
        await rm(copy);
      }
    },
  };
}

/**
 * Even if something is still open there: a loop device is given back some time after it was
 * detached.
 */
async function unmount(folder: string): Promise<void> {
  await run("umount", ["--lazy", folder]);
}

async function makeImage(path: string, bytes: number): Promise<void> {
  await run("truncate", ["--size", `${bytes}`, path]);
  await run("mkfs.ext4", ["-q", path]);
}
