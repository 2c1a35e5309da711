import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { InvalidDataError } from "../../../src/domain/errors.js";
import { withFileLock } from "../../../src/files/file-lock.js";
import { createToken } from "../../../src/files/lock-holder.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

/** What the code under test meets in place of the clock, the file system and the system. */
const faked = vi.hoisted(
  (): {
    wait?: ((milliseconds: number) => Promise<void>) | undefined;
    killFailsWith?: string | undefined;
  } => ({}),
);

vi.mock("node:timers/promises", async (load) => {
  const real = await load<typeof import("node:timers/promises")>();
  return { ...real, setTimeout: (ms: number, ...rest: []) => (faked.wait ?? real.setTimeout)(ms, ...rest) };
});

vi.mock("node:process", async (load) => {
  const real = await load<typeof import("node:process")>();
  const kill: typeof real.kill = (...args) => {
    if (faked.killFailsWith) throw Object.assign(new Error(), { code: faked.killFailsWith });
    return real.kill(...args);
  };
  return { ...real, kill };
});

async function lockable() {
  const path = join(await temporaryFolder(), "vars.json");
  return { path, lockPath: `${path}.lock` };
}

const exists = (path: string) => stat(path).then(Boolean, () => false);

describe.skipIf(process.platform !== "linux")("a lock that names a process of this host", () => {
  it("a lock of a process of this host is not taken over while the process lives, and the error names the process", async () => {
    const holder = await startedProcess("echo; exec sleep 60");
    const { path, lockPath } = await locked(await tokenOf(holder.pid));
    const { took, error } = await byTheClock(() => withFileLock(path, async () => {}));
    const message = `is locked: ${lockPath} has been held for 30 s by process ${holder.pid}`;
    expect(error).toEqual(new InvalidDataError(message));
    expect(took).toBeGreaterThanOrEqual(30_000);
    expect(await exists(lockPath)).toBe(true);
  });

  it("a lock is not taken from a stopped process", async () => {
    const holder = await startedProcess("echo; exec sleep 60");
    process.kill(holder.pid, "SIGSTOP");
    await expect.poll(() => processState(holder.pid)).toBe("T");
    const { path } = await locked(await tokenOf(holder.pid));
    const { error } = await byTheClock(() => withFileLock(path, async () => {}));
    expect(error).toMatchObject({ message: expect.stringMatching(`by process ${holder.pid}$`) });
  });

  it.each<[string, () => Promise<string>]>([
    [
      "has ended",
      async () => {
        const holder = await startedProcess("echo; exec sleep 60");
        const token = await tokenOf(holder.pid);
        await holder.kill();
        return token;
      },
    ],
    [
      "is a zombie",
      async () => {
        const parent = await startedProcess("sleep 0.1 & echo $!; exec sleep 60");
        const pid = Number(parent.line);
        await expect.poll(() => processState(pid)).toBe("Z");
        return tokenOf(pid);
      },
    ],
  ])("a lock is taken over at once when the process %s", async (_what, tokenOfDead) => {
    const { path, lockPath } = await locked(await tokenOfDead());
    const { took, value } = await byTheClock(() => withFileLock(path, async () => "mine"));
    expect([value, await exists(lockPath)]).toEqual(["mine", false]);
    expect(took).toBeLessThan(500);
  });
});

/** A file whose lock somebody holds. */
async function locked(token?: string) {
  const { path, lockPath } = await lockable();
  await writeFile(path, "");
  await plant(lockPath, token);
  return { path, lockPath };
}

async function plant(lockPath: string, token: string | undefined): Promise<void> {
  await mkdir(lockPath);
  if (token !== undefined) await writeFile(join(lockPath, token), "");
}

/** A token as that process would have made it. @param number makes it another than that of the process's other locks */
async function tokenOf(pid: number, number = 0): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1");
  const startedAt = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  const [, place] = createToken().split("-");
  return [`${number}`.padStart(16, "0"), place, pid, startedAt, hostname()].join("-");
}

async function processState(pid: number): Promise<string | undefined> {
  return /\) (\w)/.exec(await readFile(`/proc/${pid}/stat`, "latin1"))?.[1];
}

/** A process that has printed a line, and is killed when the current test ends. */
async function startedProcess(script: string) {
  const child = spawn("sh", ["-c", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);
  const [line] = await once(child.stdout, "data");
  return { pid: child.pid ?? 0, line: String(line), kill };
}

/**
 * Runs `work` with a clock that stands still except between two tries, when 250 ms pass at once.
 *
 * @param onStep called at each wait with the milliseconds so far
 */
async function byTheClock<T>(
  work: () => Promise<T>,
  onStep: (now: number) => Promise<void> = async () => {},
): Promise<{ took: number; value?: T; error?: unknown }> {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  faked.wait = async (milliseconds) => {
    now += Math.max(milliseconds, 250);
    await onStep(now);
  };
  try {
    const settled = await work().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    return { took: now, ...settled };
  } finally {
    faked.wait = undefined;
    vi.mocked(performance.now).mockRestore();
  }
}
