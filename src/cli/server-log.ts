import type { ServerOptions } from "../server/start-server.js";
import type { Store } from "../store/store.js";
import type { OutputFlags } from "./context.js";
import type { Log } from "./log.js";

/** What the log is told by a running server: its own failures, and with `--verbose` each request. */
export function serverLogHooks(
  log: Log,
  { verbose }: OutputFlags,
): Pick<ServerOptions, "onInternalError" | "onRequest"> {
  return {
    onInternalError: (error) => log("error", error instanceof Error ? (error.stack ?? error.message) : String(error)),
    ...(verbose && {
      onRequest: ({ method, path, status, milliseconds }) =>
        log("info", `${method} ${path} ${status} in ${milliseconds} ms`),
    }),
  };
}

/** Tells that the data was read again, or why it could not be. */
export function logReload({ problem }: Store, path: string, log: Log): void {
  if (problem) log("error", `${path}: ${problem}`);
  else log("info", `${path} has changed and was read again`);
}
