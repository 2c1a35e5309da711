import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import { fingerprint } from "./durable-file.js";

// An editor's save is several events; one check shortly after the first is enough.
const DEBOUNCE_MS = 25;
const POLL_MS = 1_000;
const MIN_RETRY_MS = 100;
const MAX_RETRY_MS = 5_000;
// Reading a large invalid file blocks everything else, so retries may use a tenth of the time.
const PAUSE_FACTOR = 9;

export interface FileWatch {
  /** Calls `onChange` soon, whether the file has changed or not. */
  readAgain(): void;
  stop(): void;
}

/**
 * Calls `onChange` whenever the file at `path` has been written, replaced, deleted or created since this resolved.
 * `onChange` resolves to whether it could read the file; until it can, it is called again after 100 ms and then
 * at increasing intervals of up to 5 s: a read error may go away without a change to the file. Calls never overlap.
 *
 * The folder is watched, because a watch on a file ends when the file is replaced. An event for any name counts, because
 * Kubernetes replaces a folder above a ConfigMap's files. Polling finds changes without an event: those to a link's
 * target or on a network mount.
 */
export async function watchFile(path: string, onChange: () => Promise<boolean>): Promise<FileWatch> {
  let seen = await fingerprint(path);
  let debounce: NodeJS.Timeout | undefined;
  let retry: NodeJS.Timeout | undefined;
  let retryMs = MIN_RETRY_MS;
  let retryIsDue = false;
  let checking = false;
  let stopped = false;

  const check = async () => {
    if (checking) return schedule();
    checking = true;
    try {
      const previous = seen;
      seen = await fingerprint(path);
      if (seen !== previous) retryMs = MIN_RETRY_MS;
      else if (!retryIsDue) return;
      if (!stopped) await notify();
    } finally {
      checking = false;
    }
  };
  const notify = async () => {
    clearTimeout(retry);
    retryIsDue = false;
    const startedAt = performance.now();
    // A file that was read exists. If its fingerprint failed, the fingerprint would not show a change.
    if ((await onChange()) && seen !== "absent") return;
    const pause = Math.max(retryMs, PAUSE_FACTOR * (performance.now() - startedAt));
    retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
    if (!stopped) retry = setTimeout(readAgain, pause).unref();
  };
  const readAgain = () => {
    retryIsDue = true;
    void check();
  };
  const schedule = () => {
    // An event does not postpone it: a file that changes all the time is checked all the time.
    debounce ??= setTimeout(() => {
      debounce = undefined;
      void check();
    }, DEBOUNCE_MS).unref();
  };

  const poll = setInterval(check, POLL_MS).unref();
  const watcher = watchFolder(dirname(path), schedule);
  const stop = () => {
    stopped = true;
    clearInterval(poll);
    clearTimeout(debounce);
    clearTimeout(retry);
    watcher?.close();
  };
  return { readAgain, stop };
}

/** Without a watcher, polling remains: when the system has no watches left, or the folder is gone. */
function watchFolder(folder: string, onEvent: () => void): FSWatcher | undefined {
  try {
    return watch(folder, { persistent: false }, onEvent).on("error", () => {});
  } catch {
    return undefined;
  }
}
