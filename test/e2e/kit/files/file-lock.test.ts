import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { withFileLock } from "../../../../src/kit/files/file-lock.js";
import { InvalidDataError } from "../../../../src/kit/text/errors.js";
import { byTheClock } from "../../../support/lock-fakes.js";
import { exists, locked, tokenOf } from "../../../support/locks.js";

describe.skipIf(process.platform !== "linux")("a lock that names a process of this host", () => {
  it("a lock of a process of this host is not taken over while the process lives, and the error names the process", async () => {
    const holder = await startedProcess("echo; exec sleep 60");
    const { path, lockPath } = await locked(await tokenOf(holder.pid));
    const { took, error } = await byTheClock((wait) =>
      withFileLock(path, async () => {}, { wait }),
    );
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
    const { error } = await byTheClock((wait) => withFileLock(path, async () => {}, { wait }));
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
    const { took, value } = await byTheClock((wait) =>
      withFileLock(path, async () => "mine", { wait }),
    );
    expect([value, await exists(lockPath)]).toEqual(["mine", false]);
    expect(took).toBeLessThan(500);
  });
});

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
