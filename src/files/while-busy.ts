import { platform } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { hasCode } from "./system-errors.js";

const MAX_BUSY_MS = 2_000;
const MAX_PAUSE_MS = 100;

/**
 * Does `work`, again for up to 2 s while Windows refuses it because the file is in use: a file that a process has open,
 * such as a reader or a virus scanner, can't be replaced there, and one that is being removed still has its name. On
 * other systems these errors do not go away.
 *
 * @throws the errors of `work`
 */
export async function whileBusy<T>(work: () => Promise<T>, system: NodeJS.Platform = platform()): Promise<T> {
  const end = performance.now() + MAX_BUSY_MS;
  for (let pause = 10; ; pause = Math.min(pause + 10, MAX_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      const isBusy = system === "win32" && hasCode(error, "EACCES", "EBUSY", "EPERM");
      if (!isBusy || performance.now() > end) throw error;
    }
    await delay(pause);
  }
}
