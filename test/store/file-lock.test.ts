import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, rm, rmdir, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { InvalidDataError } from "../../src/domain/errors.js";
import { withFileLock } from "../../src/store/file-lock.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const LOST = new InvalidDataError("was not written: its lock was lost");

async function lockable() {
  const path = join(await temporaryFolder(), "vars.json");
  return { path, lockPath: `${path}.lock` };
}

const exists = (path: string) => stat(path).then(Boolean, () => false);

describe("withFileLock", () => {
  it("holds the lock while the work is done, gives back what it returns, and lets go", async () => {
    const { path, lockPath } = await lockable();
    const result = withFileLock(path, async ({ check }) => {
      await check();
      return exists(lockPath);
    });
    expect(await result).toBe(true);
    expect(await exists(lockPath)).toBe(false);
  });

  it("lets go when the work fails, and fails with its error", async () => {
    const { path, lockPath } = await lockable();
    await expect(withFileLock(path, () => Promise.reject(new RangeError("mine")))).rejects.toThrow(RangeError);
    expect(await exists(lockPath)).toBe(false);
  });

  it("does one work at a time", async () => {
    const { path } = await lockable();
    let running = 0;
    const work = async () => {
      expect(++running).toBe(1);
      await delay(2);
      running--;
    };
    await Promise.all(Array.from({ length: 10 }, () => withFileLock(path, work)));
  });

  it("waits for another that holds the lock to let go", async () => {
    const { path, lockPath } = await lockable();
    await mkdir(lockPath);
    const work = vi.fn(async () => {});
    const done = withFileLock(path, work);
    // Long enough for some of its tries, 5 to 60 ms apart.
    await delay(150);
    expect(work).not.toHaveBeenCalled();
    await rmdir(lockPath);
    await done;
    expect(work).toHaveBeenCalledOnce();
  });

  it("takes over a lock that nobody has renewed for 5 s", async () => {
    const { path, lockPath } = await lockable();
    await mkdir(lockPath);
    const longAgo = Date.now() / 1_000 - 6;
    await utimes(lockPath, longAgo, longAgo);
    expect(await withFileLock(path, async () => "mine")).toBe("mine");
    expect(await exists(lockPath)).toBe(false);
  });

  it("gives up on a lock that is renewed for 30 s, and leaves it", async () => {
    const { path, lockPath } = await lockable();
    await mkdir(lockPath);
    const farOff = Date.now() / 1_000 + 3_600;
    await utimes(lockPath, farOff, farOff);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
    let settled = false;
    const done = withFileLock(path, async () => {}).finally(() => {
      settled = true;
    });
    const told = expect(done).rejects.toThrow("is locked: others have been writing it for more than 30 s");
    while (!settled) {
      await vi.advanceTimersByTimeAsync(60);
      // Each try asks the real file system, on which a false clock has no hold.
      for (let turn = 0; turn < 5; turn++) await exists(lockPath);
    }
    await told;
    expect(await exists(lockPath)).toBe(true);
  });

  it("fails at once where no lock can be made", async () => {
    const path = join(await temporaryFolder(), "none", "vars.json");
    await expect(withFileLock(path, async () => {})).rejects.toMatchObject({ code: "ENOENT" });
  }, 5_000);
});

describe("a lock that was lost to another writer", () => {
  it("is noticed by the check, and is left to the other", async () => {
    const { path, lockPath } = await lockable();
    const work = withFileLock(path, async ({ check }) => {
      takeOver(lockPath);
      await check();
    });
    await expect(work).rejects.toThrow(LOST);
    expect(await exists(lockPath)).toBe(true);
  });

  it("is left to the other by work that did not check", async () => {
    const { path, lockPath } = await lockable();
    await withFileLock(path, async () => takeOver(lockPath));
    expect(await exists(lockPath)).toBe(true);
  });

  it("is noticed by the check when the other is done with it", async () => {
    const { path, lockPath } = await lockable();
    const work = withFileLock(path, async ({ check }) => {
      await rm(lockPath, { recursive: true });
      await check();
    });
    await expect(work).rejects.toThrow(LOST);
  });
});

/** As a writer does that has taken this one for dead. */
function takeOver(lockPath: string): void {
  rmSync(lockPath, { recursive: true });
  mkdirSync(lockPath);
  writeFileSync(join(lockPath, "another-token"), "");
}
