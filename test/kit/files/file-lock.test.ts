import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import {
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type ReplaceFile, withFileLock } from "../../../src/kit/files/file-lock.js";
import { createToken } from "../../../src/kit/process/process-token.js";
import { InvalidDataError } from "../../../src/kit/text/errors.js";
import { byTheClock, faked } from "../../support/lock-fakes.js";
import { exists, lockable, locked, plant, tokenOf } from "../../support/locks.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

vi.mock("node:fs/promises", async (load) =>
  (await import("../../support/lock-fakes.js")).fakedFiles(load),
);
vi.mock("node:process", async (load) =>
  (await import("../../support/lock-fakes.js")).fakedProcess(load),
);

describe("withFileLock", () => {
  it("holds the lock during the work, returns its result, and releases the lock", async () => {
    const { path, lockPath } = await lockable();
    expect(await withFileLock(path, async () => exists(lockPath))).toBe(true);
    expect(await exists(lockPath)).toBe(false);
  });

  it("releases the lock when the work fails, and rethrows its error", async () => {
    const { path, lockPath } = await lockable();
    await expect(withFileLock(path, () => Promise.reject(new RangeError("mine")))).rejects.toThrow(
      RangeError,
    );
    expect(await exists(lockPath)).toBe(false);
  });

  it("runs one work at a time", async () => {
    const { path } = await lockable();
    let running = 0;
    const work = async () => {
      expect(++running).toBe(1);
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
      running--;
    };
    await Promise.all(Array.from({ length: 10 }, () => withFileLock(path, work)));
  });

  it("waits until another holder releases the lock", async () => {
    const { path, lockPath } = await lockable();
    await plant(lockPath, createToken());
    const work = vi.fn(async () => {});
    let tries = 0;
    const pause = async () => {
      expect(work).not.toHaveBeenCalled();
      if (++tries === 3) await rm(lockPath, { recursive: true });
    };
    await withFileLock(path, work, { wait: { ticks: () => 0, pause } });
    expect([tries, work.mock.calls.length]).toEqual([3, 1]);
  });

  it("fails at once where no lock can be created", async () => {
    const path = join(await temporaryFolder(), "none", "vars.json");
    await expect(withFileLock(path, async () => {})).rejects.toMatchObject({ code: "ENOENT" });
  }, 5_000);
});

const ELSEWHERE = "0123456789abcdef-fedcba9876543210-4242-1-web-1";

it("a lock of another host is reported after 30 s, with the command that removes it", async () => {
  const { path, lockPath } = await locked(ELSEWHERE);
  const { took, error } = await byTheClock((wait) => withFileLock(path, async () => {}, { wait }));
  expect(error).toEqual(
    new InvalidDataError(
      `is locked: ${lockPath} has been held for 30 s by process 4242 on web-1; if it has ended, run: rm -r ${lockPath}`,
    ),
  );
  expect(took).toBeGreaterThanOrEqual(30_000);
  expect(took).toBeLessThan(31_000);
  expect(await readdir(dirname(path))).toEqual(["vars.json", "vars.json.lock"]);
});

it.each([
  ["is replaced", false],
  ["is not replaced, as on Windows", true],
])(
  "an empty lock, which a writer that was killed has left, is taken over at once where it %s",
  async (_how, keeps) => {
    const { path, lockPath } = await locked();
    faked.keepsFolders = keeps;
    onTestFinished(() => {
      faked.keepsFolders = false;
    });
    const { took, value } = await byTheClock((wait) =>
      withFileLock(path, async () => "mine", { wait }),
    );
    expect([value, took]).toEqual(["mine", 0]);
    expect(await exists(lockPath)).toBe(false);
  },
);

it("files that killed writers have left behind are removed", async () => {
  const { path, lockPath } = await lockable();
  const dead = createToken().replace(/^(\w+-\w+-\d+)-\d+/, "$1-7");
  await plant(`${lockPath}.${dead}`, dead);
  await plant(`${lockPath}.${ELSEWHERE}`, ELSEWHERE);
  await mkdir(`${lockPath}.${dead.replace(/^\w/, (digit) => (digit === "0" ? "1" : "0"))}`);
  await withFileLock(path, async () => {});
  expect(await readdir(dirname(path))).toEqual([`vars.json.lock.${ELSEWHERE}`]);
});

describe("temporary files of writers that were killed", () => {
  it("are removed", async () => {
    const { path } = await lockable();
    for (const id of ["0123456789ab", "ffffffffffff"])
      await writeFile(join(dirname(path), `.vars.json.${id}.tmp`), "");
    await withFileLock(path, async () => {});
    expect(await readdir(dirname(path))).toEqual([]);
  });

  it("files with other names are kept", async () => {
    const { path } = await lockable();
    const others = [
      ".vars.json.0123456789AB.tmp",
      ".vars.json.0123456789ab",
      ".vars.json.0123456789abc.tmp",
    ];
    others.push(
      ".vars.json.backup.tmp",
      ".vars.json.tmp",
      ".vars2.json.0123456789ab.tmp",
      "vars.json.0123456789ab.tmp",
    );
    for (const name of others) await writeFile(join(dirname(path), name), name);
    await withFileLock(path, async () => {});
    expect((await readdir(dirname(path))).sort()).toEqual(others);
  });

  it("a link with the name of a temporary file is not followed", async () => {
    const { path } = await lockable();
    const victim = join(await temporaryFolder(), "victim");
    await writeFile(victim, "untouched");
    await symlink(victim, join(dirname(path), ".vars.json.0123456789ab.tmp"));
    await withFileLock(path, async () => {});
    expect(await readFile(victim, "utf8")).toBe("untouched");
    expect(await readdir(dirname(path))).toEqual([]);
  });
});

describe.skipIf(process.platform !== "linux")("a lock that names a process of this host", () => {
  it("a lock is not taken from a process that can't be signalled", async () => {
    const { path } = await locked(await tokenOf(process.pid));
    faked.killFailsWith = "EPERM";
    const { error } = await byTheClock((wait) => withFileLock(path, async () => {}, { wait }));
    faked.killFailsWith = undefined;
    expect(error).toMatchObject({ message: expect.stringMatching(`by process ${process.pid}$`) });
  });

  it.each<[string, () => Promise<string>]>([
    [
      "ran before the machine started again",
      async () => (await tokenOf(process.pid)).replace(/^(\w+)-\w{8}/, "$1-01234567"),
    ],
    [
      "had the id of a process that lives now",
      async () => (await tokenOf(process.pid)).replace(/^(\w+-\w+-\d+)-\d+/, "$1-7"),
    ],
  ])("a lock is taken over at once when the process %s", async (_what, tokenOfDead) => {
    const { path, lockPath } = await locked(await tokenOfDead());
    const { took, value } = await byTheClock((wait) =>
      withFileLock(path, async () => "mine", { wait }),
    );
    expect(value).toBe("mine");
    expect(took).toBeLessThan(500);
    expect(await exists(lockPath)).toBe(false);
  });

  it("a lock of a process whose start time is hidden is waited for", async () => {
    const hidden = (await tokenOf(process.pid)).replace(/^(\w+-\w+-\d+)-\d+/, "$1-0");
    const { path, lockPath } = await locked(hidden);
    const { error } = await byTheClock((wait) => withFileLock(path, async () => {}, { wait }));
    const message = `has been held for 30 s by process ${process.pid}; if it has ended, run: rm -r ${lockPath}`;
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
  });

  it("a lock is waited for while its holders change, even for more than 30 s in total", async () => {
    const { path, lockPath } = await locked(await tokenOf(process.pid));
    let holding = 0;
    const { took, value } = await byTheClock(
      (wait) => withFileLock(path, async () => "mine", { wait }),
      async (now) => {
        if (now < 20_000 * (holding + 1) || holding === 3) return;
        holding++;
        await rm(lockPath, { recursive: true });
        if (holding < 3) await plant(lockPath, await tokenOf(process.pid, holding));
      },
    );
    expect(value).toBe("mine");
    expect(took).toBeGreaterThanOrEqual(60_000);
  });
});

describe("a wait that is cancelled", () => {
  it("ends at once with the signal's reason, and the lock stays", async () => {
    const { path, lockPath } = await locked(ELSEWHERE);
    const controller = new AbortController();
    const done = withFileLock(path, async () => {}, { signal: controller.signal });
    controller.abort(new RangeError("mine"));
    await expect(done).rejects.toThrow(new RangeError("mine"));
    expect(await exists(lockPath)).toBe(true);
  });

  it("work that is cancelled replaces nothing, and releases the lock", async () => {
    const { path } = await lockable();
    await writeFile(path, "old");
    const controller = new AbortController();
    const work = withFileLock(
      path,
      async (replace) => {
        controller.abort(new RangeError("mine"));
        await replace("new");
      },
      { signal: controller.signal },
    );
    await expect(work).rejects.toThrow(new RangeError("mine"));
    expect(await readFile(path, "utf8")).toBe("old");
    expect(await readdir(dirname(path))).toEqual(["vars.json"]);
  });
});

describe("a lock that was removed", () => {
  it("is left to the new holder, whose change is not overwritten", async () => {
    const { path, lockPath } = await lockable();
    await writeFile(path, "old");
    const work = vi.fn(async (replace: ReplaceFile) => {
      takeOver(lockPath);
      writeFileSync(path, "theirs");
      await replace("mine");
    });
    const message = "was not written: another program has changed it in the meantime; try again";
    await expect(withFileLock(path, work)).rejects.toThrow(message);
    expect(work).toHaveBeenCalledTimes(1);
    expect(await readFile(path, "utf8")).toBe("theirs");
    expect(await exists(lockPath)).toBe(true);
  });
});

describe.skipIf(process.getuid?.() !== 0)("the owner of a file that is replaced", () => {
  const owned = async (gid: number, mode: number) => {
    const { path } = await lockable();
    await writeFile(path, "old");
    await chown(path, 1234, gid);
    await chmod(path, mode);
    return path;
  };

  it("a file that root replaces keeps its owner and group", async () => {
    const path = await owned(4321, 0o640);
    await withFileLock(path, (replace) => replace("new"));
    expect(await stat(path)).toMatchObject({ uid: 1234, gid: 4321, mode: 0o100600 });
    await chmod(path, 0o640);
    await withFileLock(path, (replace) => replace("new"), { keepsReaders: true });
    expect(await stat(path)).toMatchObject({ uid: 1234, gid: 4321, mode: 0o100640 });
  });

  it.each([
    [
      "whose group may read it is not replaced",
      0o640,
      "it belongs to a group that you are not in, who could no longer",
    ],
    ["whose group may not read it is replaced", 0o600, undefined],
  ])("a file of a group that its owner is not in, and %s", async (_what, mode, message) => {
    const path = await owned(4321, mode);
    await chown(dirname(path), 1234, 1234);
    const writing = await asUser(1234, () =>
      withFileLock(path, (replace) => replace("new"), { keepsReaders: true }).catch(
        (error: Error) => error.message,
      ),
    );
    if (message) expect(writing).toContain(message);
    else expect(await stat(path)).toMatchObject({ uid: 1234, gid: 1234, mode: 0o100600 });
  });
});

describe("a path that is not a lock", () => {
  const TOKEN = ELSEWHERE;

  /** Puts something where the lock would be, and returns all that is in the folder. */
  async function occupied(occupy: (lockPath: string) => Promise<void>) {
    const { path, lockPath } = await lockable();
    await writeFile(path, "");
    await occupy(lockPath);
    const names = () => readdir(dirname(path), { recursive: true });
    return { path, lockPath, names, before: await names() };
  }

  const folderWith = (name: string, text: string) => async (lockPath: string) => {
    await mkdir(lockPath);
    await writeFile(join(lockPath, name), text);
  };
  const linkTo = (make: (folder: string) => Promise<unknown>) => async (lockPath: string) => {
    const target = join(dirname(lockPath), "target");
    await make(target);
    await symlink(target, lockPath);
  };

  it.each<[string, (lockPath: string) => Promise<void>]>([
    ["a link to a folder with files", linkTo(folderWith("id_ed25519", "key"))],
    ["a link to a folder with a lock's files", linkTo(folderWith(TOKEN, ""))],
    ["a link to an empty folder", linkTo(mkdir)],
    ["a link to nothing", linkTo(async () => {})],
    ["a file", (lockPath) => writeFile(lockPath, "text")],
    ["a folder with a file", folderWith("notes.txt", "text")],
    ["a folder with an empty file", folderWith(".gitkeep", "")],
    [
      "a folder with a file that names process 0",
      folderWith("0123456789abcdef-fedcba9876543210-0-1-web-1", ""),
    ],
    [
      "a folder with a lock's file and another",
      async (lockPath) => {
        await folderWith(TOKEN, "")(lockPath);
        await writeFile(join(lockPath, "notes.txt"), "");
      },
    ],
  ])(
    "anything but a lock fails the attempt at once and is left unchanged: %s",
    async (_what, occupy) => {
      const { path, lockPath, names, before } = await occupied(occupy);
      const work = vi.fn(async () => {});
      const refused = withFileLock(path, work);
      await expect(refused).rejects.toThrow(InvalidDataError);
      await expect(refused).rejects.toThrow(`can't be locked: ${lockPath} is not an appvars lock`);
      expect(work).not.toHaveBeenCalled();
      expect(await names()).toStrictEqual(before);
    },
    5_000,
  );
});

/**
 * Removes and replaces the lock, as an operator and another writer do after they take this one for
 * dead.
 */
function takeOver(lockPath: string): void {
  rmSync(lockPath, { recursive: true });
  mkdirSync(lockPath);
  writeFileSync(join(lockPath, "another-token"), "");
}

/** Does it as a user who is in no other group than the one with the same number. */
async function asUser<T>(id: number, work: () => Promise<T>): Promise<T> {
  const groups = process.getgroups?.() ?? [];
  process.setgroups?.([id]);
  process.setegid?.(id);
  process.seteuid?.(id);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
    process.setgroups?.(groups);
  }
}
