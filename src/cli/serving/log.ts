import { findWeakSecrets } from "../../domain/environment.js";
import type { ServerOptions } from "../../server/start-server.js";
import type { Data } from "../../store/data.js";
import { followProblem, type Store } from "../../store/store.js";
import type { Colors } from "../output/colors.js";
import type { OutputFlags } from "../output/context.js";
import type { Output } from "../output/io.js";
import { dropUnread, writeJsonLine, writeLines } from "../output/output.js";
import { rotateCommand } from "./credentials.js";

export type LogFormat = "pretty" | "json";
type LogLevel = "info" | "warn" | "error";

/** Writes one line, which must not contain a value or a secret. */
export type Log = (level: LogLevel, message: string) => void;

/** A log of lines `12:00:01 message` or `{"time", "level", "message"}`. Lines are dropped while nobody reads them. */
export function createLog(stream: Output, format: LogFormat, clock: () => number, colors: Colors): Log {
  const styles = { info: (text: string) => text, warn: colors.yellow, error: colors.red };
  const write: Log = (level, message) => {
    const time = new Date(clock()).toISOString();
    if (format === "json") return writeJsonLine(stream, { time, level, message });
    writeLines(stream, [message], (text) => `${colors.dim(time.slice(11, 19))} ${styles[level](text)}`);
  };
  return dropUnread<Parameters<Log>>(
    () => stream,
    write,
    (message) => ["warn", message],
  );
}

/** What a server logs: its own failures, refused connections and, with `--verbose`, each request. */
export function serverLogHooks(
  log: Log,
  { verbose }: OutputFlags,
): Pick<ServerOptions, "onConnectionsRefused" | "onInternalError" | "onRequest"> {
  return {
    onConnectionsRefused: (count) =>
      log("warn", `refused connections: ${count}; the limit of open ones is reached, see --max-connections`),
    onInternalError: (error) => log("error", error instanceof Error ? (error.stack ?? error.message) : String(error)),
    ...(verbose && {
      onRequest: ({ method, path, status, milliseconds }) =>
        log("info", `${method} ${path} ${status} in ${milliseconds} ms`),
    }),
  };
}

/** Logs each reload of the data, and why one failed. */
export function logReloads(store: Store<unknown>, path: string, log: Log): void {
  followProblem(store, (problem) => {
    if (problem === undefined) log("info", `${path} was read again`);
    else log("error", `${path}: ${problem}`);
  });
}

/** Warns once about each weak API secret, now and after each reload. @param clock Unix milliseconds */
export function logWeakSecrets(
  store: Store<Pick<Data, "environments">>,
  path: string,
  clock: () => number,
  log: Log,
): void {
  const logged = new Set<string>();
  const check = () => {
    for (const problem of findWeakSecrets(store.snapshot.environments, clock())) {
      if (!logged.has(problem)) log("warn", `${problem}; to replace them, run: ${rotateCommand(path)}`);
      logged.add(problem);
    }
  };
  check();
  store.subscribe(check);
}
