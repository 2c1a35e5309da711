import { AsyncLocalStorage } from "node:async_hooks";
import fs from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

/** One call of `node:fs`, of `node:fs/promises` or of a `FileHandle`. */
export interface FsCall {
  /** Node's name of the function or method: `rename`, `sync`, `openSync`. */
  readonly name: string;
  /** Its path; for a handle or a descriptor, the path that it was opened with. */
  readonly path: string;
}

/**
 * Wraps each call: returns the result of `proceed`, which makes the call, or throws to make it
 * fail. Must be synchronous for calls whose names end in `Sync`.
 */
export type AroundCall = (call: FsCall, proceed: () => unknown) => unknown;

const current = new AsyncLocalStorage<AroundCall | undefined>();

/** Runs `work` with `around` wrapped around every file-system call that it makes, now or later. */
export function withFsCalls<T>(around: AroundCall, work: () => T): T {
  // Calls that `around` itself makes are not wrapped.
  return current.run((call, proceed) => current.run(undefined, around, call, proceed), work);
}

type Call = (...args: unknown[]) => unknown;
type Calls = Record<string, Call>;

// Returns an iterator, or an emitter, and no promise.
const NOT_WRAPPED = ["watch", "glob"];

/** The paths of open and closed descriptors. */
const pathsOfDescriptors = new Map<unknown, string>();

function pathOf(args: readonly unknown[]): string {
  return pathsOfDescriptors.get(args[0]) ?? String(args[0]);
}

function wrapSync(name: string, original: Call): Call {
  return (...args) => {
    const around = current.getStore();
    if (!around) return original(...args);
    if (name === "existsSync")
      return exists(() => around({ name, path: pathOf(args) }, () => original(...args)));
    const result = around({ name, path: pathOf(args) }, () => original(...args));
    if (name === "openSync") pathsOfDescriptors.set(result, String(args[0]));
    return result;
  };
}

/** What Node answers if the file can't be looked for. */
function exists(look: () => unknown): unknown {
  try {
    return look();
  } catch {
    return false;
  }
}

function wrapPromise(name: string, original: Call, path?: string): Call {
  return async (...args) => {
    const around = current.getStore();
    return around
      ? around({ name, path: path ?? pathOf(args) }, () => original(...args))
      : original(...args);
  };
}

function wrapCallback(name: string, original: Call): Call {
  const wrapped: Call = (...args) => {
    const around = current.getStore();
    const callback = args.pop();
    if (!around || typeof callback !== "function") return original(...args, callback);
    let others: unknown[] = [];
    const proceed = () =>
      new Promise((resolve, reject) => {
        original(...args, (error: unknown, result: unknown, ...more: unknown[]) => {
          others = more;
          if (error) reject(error);
          else resolve(result);
        });
      });
    const made = new Promise((resolve) => resolve(around({ name, path: pathOf(args) }, proceed)));
    made.then(
      (result) => callback(null, result, ...others),
      (error: unknown) => callback(error),
    );
    return undefined;
  };
  // They include the names that `promisify` gives to several results.
  return Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(original)) as Call;
}

function wrapHandle(handle: FileHandle, path: string): FileHandle {
  const calls = handle as unknown as Calls;
  for (const name of [
    "stat",
    "read",
    "readFile",
    "write",
    "writeFile",
    "chmod",
    "chown",
    "truncate",
    "sync",
    "datasync",
    "close",
  ]) {
    const original = calls[name];
    if (original) calls[name] = wrapPromise(name, original.bind(handle), path);
  }
  return handle;
}

const promises = fs.promises as unknown as Calls;
for (const [name, original] of Object.entries(promises)) {
  if (typeof original === "function" && !NOT_WRAPPED.includes(name))
    promises[name] = wrapPromise(name, original);
}
const open = promises["open"] as Call;
promises["open"] = async (...args) => {
  const handle = (await open(...args)) as FileHandle;
  return current.getStore() ? wrapHandle(handle, String(args[0])) : handle;
};
const calls = fs as unknown as Calls;
for (const [name, original] of Object.entries(calls)) {
  if (typeof original !== "function") continue;
  if (name.endsWith("Sync")) calls[name] = wrapSync(name, original);
  else if (`${name}Sync` in calls) calls[name] = wrapCallback(name, original);
}
// Updates named imports too.
syncBuiltinESMExports();
