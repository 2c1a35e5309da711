import process from "node:process";
import { UsageError } from "../kit/text/errors.js";
import { printable } from "../kit/text/printable.js";

export function emitWarning(message: string): void {
  process.emitWarning(printable(message), "AppvarsWarning");
}

/**
 * Returns the options with callbacks (`on…`) that never fail. The first failure
 * of each callback emits a warning.
 *
 * @throws UsageError for a callback that is not a function
 */
export function guardCallbacks<T extends object>(options: T): T {
  const guarded = Object.entries(options).map(([name, value]) => {
    if (value === undefined || !/^on[A-Z]/.test(name)) return [name, value];
    if (typeof value !== "function") throw new UsageError(`${name} must be a function`);
    return [name, guard(name, value)];
  });
  return Object.fromEntries(guarded);
}

function guard(
  name: string,
  callback: (...args: unknown[]) => unknown,
): (...args: unknown[]) => Promise<void> {
  let hasFailed = false;
  return async (...args) => {
    try {
      await callback(...args);
    } catch (error) {
      const reason = error instanceof Error ? error.message : typeof error;
      if (!hasFailed) emitWarning(`${name} failed: ${reason}; its later failures are not reported`);
      hasFailed = true;
    }
  };
}
