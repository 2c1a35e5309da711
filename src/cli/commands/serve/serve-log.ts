import { printable } from "../../../kit/text/printable.js";
import type { ServedRequest } from "../../../server/api/served-request.js";
import type { ServerOptions } from "../../../server/start-server.js";
import { followProblem, type Store } from "../../../store/store.js";
import { keyWarnings } from "../../../tasks/data/key-advice.js";
import type { Colors } from "../../output/colors.js";
import { LogWriter } from "../../output/log-writer.js";
import type { OutputFlags } from "../../output/output.js";
import { escapeJson, type Output } from "../../output/output.js";

export type LogFormat = "pretty" | "json";
type LogLevel = "info" | "warn" | "error";

/**
 * Writes a line, which must not contain a value or a secret, about a request if
 * there is one.
 */
export type Log = (level: LogLevel, message: string, request?: ServedRequest) => void;

type MakeLine = (...line: Parameters<Log>) => string;

/**
 * A log of lines `12:00:01 message` or of JSON. No message can break a line or
 * control a terminal. Lines are dropped while they can't be written. `written`
 * resolves once all lines are written, or can't be written soon.
 */
export function createLog(stream: Output, format: LogFormat, clock: () => number, colors: Colors) {
  const time = () => new Date(clock()).toISOString();
  const makeLine = format === "json" ? jsonLines(time) : prettyLines(time, colors);
  const writer = new LogWriter(stream, (count) =>
    makeLine("warn", `lines dropped: ${count}; this log could not be written in time`),
  );
  const log: Log = (level, message, request) => {
    if (writer.drops()) return;
    const line = makeLine(level, message, request);
    if (request) writer.writeSoon(line);
    else writer.write(line);
  };
  return { log, written: () => writer.written() };
}

function prettyLines(time: () => string, colors: Colors): MakeLine {
  const styles = { info: (text: string) => text, warn: colors.yellow, error: colors.red };
  return (level, message, request) => {
    const text = request ? `${timed(message, request)}, ${requestText(request)}` : message;
    return `${colors.dim(time().slice(11, 19))} ${styles[level](printable(text))}`;
  };
}

/** `GET /healthz 200 in 1.2 ms`. */
export function timed(message: string, { milliseconds }: ServedRequest): string {
  return `${message} in ${rounded(milliseconds)} ms`;
}

function requestText({ id, apiKey, client, bytes, address }: ServedRequest): string {
  const owner = client === undefined ? "" : ` (${client})`;
  const key = apiKey === undefined ? "no key" : `key ${apiKey}${owner}`;
  return `${bytes} bytes, ${key}, from ${address}, id ${id}`;
}

/** Lines with the fields of pino's. */
function jsonLines(time: () => string): MakeLine {
  return (level, message, request) => {
    const fields = request && requestFields(request);
    return escapeJson(JSON.stringify({ level, time: time(), ...fields, message }));
  };
}

function requestFields({ apiKey: key, address: from, milliseconds, ...rest }: ServedRequest) {
  const { method, route, status, id, client, bytes } = rest;
  return { method, route, status, id, key, client, from, bytes, ms: rounded(milliseconds) };
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

/**
 * Logs a server's failures, refused connections and, with `--verbose`, each
 * request.
 */
export function serverLogHooks(log: Log, { verbose }: OutputFlags): ServerOptions {
  return {
    onConnectionsRefused: (count) =>
      log(
        "warn",
        `refused connections: ${count}; the limit of open ones is reached, see --max-connections`,
      ),
    onInternalError: (error) =>
      log("error", error instanceof Error ? (error.stack ?? error.message) : String(error)),
    ...(verbose && { onRequest: (request) => log("info", summary(request), request) }),
  };
}

/** Describes a request without its path, which may contain a variable's name. */
function summary({ method, route = "(no such route)", status }: ServedRequest): string {
  return method === undefined ? `(unreadable request) ${status}` : `${method} ${route} ${status}`;
}

export function logReloads(store: Store, name: string, log: Log): void {
  followProblem(store, (problem) => {
    if (problem === undefined) log("info", `reloaded ${name}`);
    else log("error", `${name}: ${problem}`);
  });
}

/**
 * Warns once about each weak API secret and each key that expires soon: now,
 * after each reload and every hour. Returns a function that stops this.
 */
export function logKeyWarnings(
  store: Store,
  flags: readonly string[],
  clock: () => number,
  log: Log,
): () => void {
  const logged = new Set<string>();
  const check = () => {
    for (const { message, fix } of keyWarnings(store.data.environments, clock(), flags)) {
      if (!logged.has(message)) log("warn", `${message}; to replace them, run: ${fix}`);
      logged.add(message);
    }
  };
  check();
  store.subscribe(check);
  const timer = setInterval(check, 3_600_000);
  return () => clearInterval(timer);
}
