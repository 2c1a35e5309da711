import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ABSENT, fingerprintOf } from "./durable-file.js";

// When an editor saves, there are several events; one check shortly after the
// first is enough.
const DEBOUNCE_MS = 25;
const POLL_MS = 1_000;

export interface FileWatch {
  /** Calls `onChange` soon, even if the file has not changed. */
  reload(): void;
  stop(): void;
}

/**
 * Calls `onChange` with the fingerprint of the file at `path` after each change
 * of the file. `onChange` resolves to whether it could read the file. If not,
 * it is called again every second, since a read error may go away by itself.
 * Calls never overlap.
 *
 * The folder is watched, because a watch on a file ends when the file is
 * replaced. An event for any name counts, because Kubernetes replaces a folder
 * above a ConfigMap's files. Polling finds changes without an event: to the
 * target of a link, or on a network mount.
 */
export async function watchFile(
  path: string,
  onChange: (version: string) => Promise<boolean>,
): Promise<FileWatch> {
  let seen = await inspect(path);
  let debounce: NodeJS.Timeout | undefined;
  let isDue = false;
  let hasFailed = false;
  let checking = false;
  let stopped = false;

  const check = async () => {
    if (checking) return schedule();
    checking = true;
    try {
      const previous = seen;
      seen = await inspect(path);
      if (stopped || (seen === previous && !isDue)) return;
      isDue = false;
      // If it was read, only its fingerprint failed, and would miss a change.
      hasFailed = !(await onChange(seen)) || seen === ABSENT;
    } finally {
      checking = false;
    }
  };
  const reload = () => {
    isDue = true;
    void check();
  };
  const schedule = () => {
    // Later events don't postpone the check, so a file that keeps changing is
    // still checked.
    debounce ??= setTimeout(() => {
      debounce = undefined;
      void check();
    }, DEBOUNCE_MS).unref();
  };

  const poll = setInterval(() => {
    isDue ||= hasFailed && !checking;
    void check();
  }, POLL_MS).unref();
  const watcher = watchFolder(dirname(path), schedule);
  const stop = () => {
    stopped = true;
    clearInterval(poll);
    clearTimeout(debounce);
    watcher?.close();
  };
  return { reload, stop };
}

/** Asynchronous, so that a network mount that hangs blocks nothing. */
function inspect(path: string): Promise<string> {
  return stat(path, { bigint: true }).then(fingerprintOf, () => ABSENT);
}

/**
 * Returns `undefined` if the system has no watches left or the folder is gone.
 * Then only polling finds changes.
 */
function watchFolder(folder: string, onEvent: () => void): FSWatcher | undefined {
  try {
    return watch(folder, { persistent: false }, onEvent).on("error", () => {});
  } catch {
    return undefined;
  }
}
