import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import { fingerprint } from "./fingerprint.js";

// An editor's save is several events; one look at the file a moment after the first is enough.
const DEBOUNCE_MS = 25;
const POLL_MS = 1_000;

/**
 * Calls `onChange` whenever the file at `path` has become another one: written, replaced, deleted, made
 * again, from the moment this resolves. Calls never overlap. Resolves to how to stop.
 *
 * The folder is watched, since a watch on the file itself ends with its first replacement, and any name in it
 * counts, since a Kubernetes ConfigMap swaps a folder above the file. Polling finds what no event tells: a
 * symlink's far end, a network mount.
 */
export async function watchFile(path: string, onChange: () => Promise<void>): Promise<() => void> {
  let seen = await fingerprint(path);
  let debounce: NodeJS.Timeout | undefined;
  let checking = false;
  let stopped = false;

  const check = async () => {
    if (checking) return schedule();
    checking = true;
    try {
      const previous = seen;
      seen = await fingerprint(path);
      if (seen !== previous && !stopped) await onChange();
    } finally {
      checking = false;
    }
  };
  const schedule = () => {
    // Not put off by each event: a file that changes all the time is looked at all the time.
    debounce ??= setTimeout(() => {
      debounce = undefined;
      void check();
    }, DEBOUNCE_MS).unref();
  };

  const poll = setInterval(check, POLL_MS).unref();
  const watcher = watchFolder(dirname(path), schedule);
  return () => {
    stopped = true;
    clearInterval(poll);
    clearTimeout(debounce);
    watcher?.close();
  };
}

function watchFolder(folder: string, onEvent: () => void): FSWatcher | undefined {
  try {
    // An error of the watcher (its folder gone, say) leaves the polling.
    return watch(folder, { persistent: false }, onEvent).on("error", () => {});
  } catch {
    // So does a system that is out of watches.
    return undefined;
  }
}
