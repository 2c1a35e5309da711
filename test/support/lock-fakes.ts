import type { LockWait } from "../../src/kit/files/file-lock.js";

/** Fakes of renames and of signals, for modules that are mocked with the functions below. */
export const faked: {
  killFailsWith?: string | undefined;
  /** Whether a folder can't be moved to the place of an empty one, as on Windows. */
  keepsFolders?: boolean;
} = {};

/** The factory for `vi.mock("node:fs/promises", …)`. */
export async function fakedFiles(load: () => Promise<unknown>) {
  const real = (await load()) as typeof import("node:fs/promises");
  const rename: typeof real.rename = async (from, to) => {
    if (faked.keepsFolders && (await real.lstat(to).catch(() => undefined))?.isDirectory())
      throw Object.assign(new Error(), { code: "EEXIST" });
    return real.rename(from, to);
  };
  return { ...real, rename };
}

/** The factory for `vi.mock("node:process", …)`. */
export async function fakedProcess(load: () => Promise<unknown>) {
  const real = (await load()) as typeof import("node:process");
  const kill: typeof real.kill = (...args) => {
    if (faked.killFailsWith) throw Object.assign(new Error(), { code: faked.killFailsWith });
    return real.kill(...args);
  };
  return { ...real, kill };
}

/**
 * Runs `work` with a clock that stands still except between two tries, when 250 ms pass at once.
 *
 * @param onStep called at each wait with the milliseconds so far
 */
export async function byTheClock<T>(
  work: (wait: LockWait) => Promise<T>,
  onStep: (now: number) => Promise<void> = async () => {},
): Promise<{ took: number; value?: T; error?: unknown }> {
  let now = 0;
  const pause = async () => {
    now += 250;
    await onStep(now);
  };
  const settled = await work({ ticks: () => now, pause }).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  return { took: now, ...settled };
}
